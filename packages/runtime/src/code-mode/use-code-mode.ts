import type { Feature } from '../agents/agent-builder.js'
import { withParts } from '../agents/agent-builder.js'
import type { ToolTable } from '../call/served-tool.js'
import { nearestNames } from '../schema/nearest.js'
import type { AgentToolSpec } from '../types/tool.js'
import { type CodeModeOptions, programRegistration } from './code-mode.js'

/** Options for {@link useCodeMode}. */
export interface UseCodeModeOptions extends CodeModeOptions {
  /** Names of tools that the model can also call directly, for example `orders_getOrder` or `orders.getOrder`. Default: none. */
  readonly keep?: readonly string[]
}

/**
 * Gives the model of an agent one tool, `run_program`, instead of all tools of the agent. The model writes TypeScript programs that call the
 * tools; see {@link codeMode}. The calls of a program are calls of the agent, with its layers, hooks, approvals, limits and events. If you
 * use it twice, the second call replaces the options of the first.
 *
 * Install `quickjs-emscripten`, and `@typescript/typescript6` unless the project has TypeScript 5.9 or 6.
 *
 * @throws {TypeError} at the registration of the agent, if `keep` contains an unknown name or the agent has no tools
 * @example
 * const agent = newSupportAgent(driver).with(useCodeMode({ keep: ['orders_getOrder'] })).build()
 * const support = registerSupport(new Runtime(), { agent, toolsets: { orders: { client } } })
 */
export function useCodeMode(options: UseCodeModeOptions = {}): Feature {
  const { keep = [], ...ofPrograms } = options
  const names = [...keep]
  return (builder) =>
    withParts(builder, () => ({
      modelTools: (agent) => ({
        registration: programRegistration(agent, ofPrograms),
        keep: names.map((name) => keptTool(name, agent.table)),
      }),
    }))
}

function keptTool(name: string, { find, toolNames }: ToolTable): AgentToolSpec {
  const found = find(name)
  if (found !== undefined) return found.tool.spec
  const [near] = nearestNames(name, toolNames, 1)
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`
  throw new TypeError(`useCodeMode: \`keep\` has the unknown tool '${name}'.${hint} Expected ${toolNames.join(', ')}.`)
}
