import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import type { LoadedModule } from './load-served.js'
import type { Servable, ServedParts } from './read-served.js'

/** A tool as it is served. */
export interface ServedTool {
  /** `toolset.tool` */
  readonly id: string
  readonly toolset: string
  readonly wireName: string
}

/** Tools that are ready to be called. */
export interface BoundParts {
  readonly toolsets: readonly Servable[]
  readonly tools: readonly ServedTool[]
}

/** Turns registrations into tools, each under a name of its own. */
export function bindServed({ toolsets }: ServedParts, runtime: object, { place }: LoadedModule): Checked<BoundParts> {
  const bound: Servable[] = []
  for (const each of toolsets) {
    try {
      bound.push('specs' in each ? each : registered(each, runtime))
    } catch (error) {
      return { diagnostics: [{ ...notRegistered(error), place }] }
    }
  }
  const tools = bound.flatMap(toolsOf)
  const first = new Map<string, ServedTool>()
  for (const tool of tools) {
    const other = first.get(tool.wireName)
    if (other !== undefined) return { diagnostics: [{ ...sameName(other, tool), place }] }
    first.set(tool.wireName, tool)
  }
  return { value: { toolsets: bound, tools }, diagnostics: [] }
}

function registered(registration: Servable, runtime: object): Servable {
  const register: unknown = Reflect.get(runtime, 'registerToolset')
  if (typeof register !== 'function') throw new TypeError('the runtime has no `registerToolset`')
  return Object(Reflect.apply(register, runtime, [registration]))
}

function toolsOf(bound: Servable): readonly ServedTool[] {
  const specs: unknown = Reflect.get(bound, 'specs')
  return Array.isArray(specs) ? specs.filter(isServedTool) : []
}

function isServedTool(spec: unknown): spec is ServedTool {
  return typeof spec === 'object' && spec !== null && 'wireName' in spec && 'toolset' in spec && 'id' in spec
}

function notRegistered(error: unknown): Diagnostic {
  const [what = '', ...faults] = (error instanceof Error ? error.message : String(error)).split('\n')
  return {
    code: 'TG7004',
    severity: 'error',
    message: what.replace(/[:.]?$/, '.'),
    related: faults.map((fault) => ({ message: fault.replace(/^\s*-\s*/, '') })),
    next: 'Give the registration what it needs.',
  }
}

function sameName({ id: one, wireName }: ServedTool, { id: other }: ServedTool): Diagnostic {
  return {
    code: 'TG7005',
    severity: 'error',
    message: `Two of the tools to serve are named \`${wireName}\`: ${one === other ? `\`${one}\`, twice` : `\`${one}\` and \`${other}\``}.`,
    next: 'Serve one of them alone, or give it another name for an agent, `fromService(orders, client, { rename: { getOrder: "find" } })`, and serve the agent.',
  }
}
