import type { AgentValue, ServiceClient, ToolsetValue } from '@toolgen/dsl'
import type { EvaluatedModule } from '../evaluate/evaluate-modules.js'
import { byCodePoint } from '../text/by-code-point.js'
import type { ExportPath } from './loaded-design.js'

/** What was found in the modules' exports. */
export interface Collected {
  readonly toolsets: readonly ToolsetValue[]
  readonly agents: readonly AgentValue[]
  /** Every way to a client: the shortest first, then by code points. */
  readonly clients: ReadonlyMap<ServiceClient<unknown>, readonly [ExportPath, ...ExportPath[]]>
  /** The first way to each value. */
  readonly exported: ReadonlyMap<object, ExportPath>
}

type Definition = ToolsetValue | AgentValue | ServiceClient<unknown>

/** How deep plain objects that group exports are searched. */
const deepest = 2

/**
 * Collects toolsets and agents from the exports of the design's modules, toolsets from the agents themselves, and service
 * clients from whatever took part.
 *
 * @param entries the design's modules
 * @param evaluated those and what they import
 */
export function collectDefinitions(
  entries: readonly EvaluatedModule[],
  evaluated: readonly EvaluatedModule[],
): Collected {
  const ways = new Map<Definition, [ExportPath, ...ExportPath[]]>()
  for (const { file, exports } of evaluated) {
    for (const { value, path } of definitionsIn(exports, [], new Set())) {
      const way: ExportPath = { module: file, path }
      const known = ways.get(value)
      if (known === undefined) ways.set(value, [way])
      else known.push(way)
    }
  }
  const ofDesign = new Set(
    entries.flatMap(({ exports }) => definitionsIn(exports, [], new Set()).map(({ value }) => value)),
  )
  const agents = [...ofDesign].filter((value) => value['~toolgen'] === 'agent')
  const toolsets = new Set([...ofDesign].filter((value) => value['~toolgen'] === 'toolset'))
  for (const agent of agents) {
    for (const use of listOf(agent.uses)) if (isDefinition(use?.toolset, 'toolset')) toolsets.add(use.toolset)
    for (const offer of listOf(agent.exports)) {
      const toolset = offer?.['~toolgen'] === 'export' ? offer.toolset : offer
      if (isDefinition(toolset, 'toolset')) toolsets.add(toolset)
    }
  }
  const clients = new Map<ServiceClient<unknown>, readonly [ExportPath, ...ExportPath[]]>()
  const exported = new Map<object, ExportPath>()
  for (const [value, paths] of ways) {
    paths.sort(compare)
    exported.set(value, paths[0])
    if (value['~toolgen'] === 'client') clients.set(value, paths)
  }
  return { toolsets: [...toolsets], agents, clients, exported }
}

function definitionsIn(
  container: object,
  path: readonly string[],
  open: ReadonlySet<object>,
): readonly { readonly value: Definition; readonly path: readonly string[] }[] {
  return Object.entries(container).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null || open.has(value)) return []
    const here = [...path, name]
    if (isAnyDefinition(value)) return [{ value, path: here }]
    return isPlain(value) && path.length < deepest ? definitionsIn(value, here, new Set([...open, value])) : []
  })
}

function isAnyDefinition(value: unknown): value is Definition {
  return isDefinition(value, 'toolset') || isDefinition(value, 'agent') || isDefinition(value, 'client')
}

/** Whether a value is one of the DSL's, by the kind that it carries itself. */
function isDefinition<Kind extends Definition['~toolgen']>(
  value: unknown,
  kind: Kind,
): value is Extract<Definition, { '~toolgen': Kind }> {
  return (
    typeof value === 'object' && value !== null && Object.getOwnPropertyDescriptor(value, '~toolgen')?.value === kind
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  // Namespaces of re-exported modules and null-prototype objects group exports as well.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function listOf<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : []
}

function compare(a: ExportPath, b: ExportPath): number {
  return (
    a.path.length - b.path.length || byCodePoint(a.path.join('.'), b.path.join('.')) || byCodePoint(a.module, b.module)
  )
}
