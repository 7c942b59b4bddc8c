import { defined } from './defined.js'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { Encoding, Vendor } from './load/toolgen-config.js'
import { compileProject, type ProjectOptions } from './project.js'
import type { OfferSize, TokenBudget } from './tokens/measure.js'

/** Options of {@link tokens}. Options that are set override the values in the configuration. */
interface TokensOptions extends ProjectOptions, TokenBudget {
  readonly encoding?: Encoding
  readonly as?: Vendor
}

/** Token counts of a design's tool definitions. */
export interface TokensResult {
  /** Diagnostics of the configuration and the design, followed by an error for each tool above `perTool` and each agent above `perAgent` tokens. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the project folder. Diagnostics contain paths relative to this folder. */
  readonly root: string
  readonly encoding: Encoding
  readonly as: Vendor
  /** Token counts of each agent, and of each toolset that no agent uses. Absent after an error. */
  readonly sizes?: readonly OfferSize[]
}

/**
 * Counts the tokens of each tool definition in the format of a vendor. Writes no files.
 *
 * @example
 * const { sizes } = await tokens({ cwd: process.cwd(), as: 'anthropic' })
 */
export async function tokens({ encoding, as, perTool, perAgent, ...choice }: TokensOptions): Promise<TokensResult> {
  const compiled = await compileProject(choice)
  const { root } = compiled
  const configured = compiled.config?.tokens ?? {}
  const chosen = {
    encoding: encoding ?? configured.encoding ?? 'o200k_base',
    as: as ?? configured.as ?? 'openai',
  } as const
  if (compiled.value === undefined) return { diagnostics: compiled.diagnostics, root, ...chosen }
  const [{ loadCounter, measureDesign, overBudget }, { loadVendorForms }] = await Promise.all([
    import('./tokens/measure.js'),
    import('./tokens/vendor-forms.js'),
  ])
  const forms = await loadVendorForms([chosen.as], root)
  const write = forms.value?.[chosen.as]
  if (write === undefined) return { diagnostics: [...compiled.diagnostics, ...forms.diagnostics], root, ...chosen }
  const { ir } = compiled.value
  const sizes = measureDesign(ir, write, await loadCounter(chosen.encoding))
  const budget = defined({ perTool: perTool ?? configured.perTool, perAgent: perAgent ?? configured.perAgent })
  return { diagnostics: [...compiled.diagnostics, ...overBudget(sizes, budget, ir)], root, ...chosen, sizes }
}
