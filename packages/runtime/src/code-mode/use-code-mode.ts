import type { Feature } from '../agents/agent-builder.js'
import { withParts } from '../agents/agent-builder.js'
import type { ToolTable } from '../call/served-tool.js'
import { nearestNames } from '../schema/nearest.js'
import type { AgentToolSpec } from '../types/tool.js'
import { type CodeModeOptions, ownIds, programRegistration } from './code-mode.js'
import { requireLimits } from './limits.js'
import { requireCodeModePackages } from './required-packages.js'

/** Options for {@link useCodeMode}: the options of `codeMode`, and the tools that the model can call without a program. */
export interface UseCodeModeOptions extends CodeModeOptions {
  /**
   * Names or ids of tools that the model can call both directly and in programs, for example `orders_getOrder` or `orders.getOrder`. Default: no
   * tools.
   */
  readonly keep?: readonly string[]
}

/**
 * Replaces the tools that an agent's model receives with one tool, `run_program`. The model writes TypeScript programs that call the agent's
 * tools; see {@link codeMode}. The calls of a program are calls of the agent, with the agent's layers, hooks, approvals, limits and events. A
 * second `useCodeMode` for the same agent replaces the options of the first.
 *
 * Install `quickjs-emscripten`. Also install `@typescript/typescript6` if the project does not use TypeScript 5.9 or 6.
 *
 * @throws {TypeError} at the registration of the agent: if `keep` contains an unknown name, if the agent has no tools, or if a toolset has
 * the name `program`
 * @throws {RangeError} if a limit is invalid
 * @throws {Error} if a package is not installed
 * @example
 * const agent = newSupportAgent(driver).with(useCodeMode({ keep: ['orders_getOrder'] })).build()
 * const support = registerSupport(new Runtime(), { agent, toolsets: { orders: { client } } })
 */
export function useCodeMode(options: UseCodeModeOptions = {}): Feature {
  const { keep = [], ...ofPrograms } = options
  if (!Array.isArray(keep)) throw new TypeError('useCodeMode: `keep` must be an array of tool names.')
  requireCodeModePackages('useCodeMode', ofPrograms)
  requireLimits('useCodeMode', ofPrograms.limits)
  const names = [...keep]
  return (builder) =>
    withParts(builder, () => ({
      modelTools: (agent) => {
        requireFreeName(agent.table)
        return {
          registration: programRegistration(agent, ofPrograms),
          keep: names.map((name) => keptTool(name, agent.table)),
        }
      },
    }))
}

function requireFreeName({ served }: ToolTable): void {
  // Ignores the tool `run_program` of `codeMode`, because the registration of that tool reports the conflict.
  const isTaken = served.some(({ tool }) => tool.id.startsWith('program.') && !ownIds.includes(tool.id))
  if (!isTaken) return
  throw new TypeError(
    "useCodeMode: the agent has a toolset with the name 'program'. This name is reserved for the tool `run_program`. Rename your toolset in the agent with `as`, for example `fromExecutor(program, { as: 'programs' })`. If you created it with `toolset`, pass another name.",
  )
}

function keptTool(name: string, { find, toolNames }: ToolTable): AgentToolSpec {
  const found = find(name)
  if (found !== undefined) return found.tool.spec
  const [near] = nearestNames(name, toolNames, 1)
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`
  throw new TypeError(
    `useCodeMode: \`keep\` names a tool that does not exist: '${name}'.${hint} Expected ${toolNames.join(', ')}.`,
  )
}
