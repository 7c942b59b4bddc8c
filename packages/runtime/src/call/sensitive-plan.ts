import { parsePointer } from '../schema/json-pointer.js'
import type { Codec, Issue } from '../types/codec.js'
import type { Audience, SensitiveFields, SensitivePaths, Treatment } from '../types/tool.js'

/** An omitted audience receives the original value. */
export type Treatments = { readonly [A in Audience]?: Treatment }

export interface PathNode {
  treatments?: Treatments
  /** The name `*` matches every item and property. */
  readonly next: Map<string, PathNode>
  /** True for a node after `**` in a path. Such a node also matches at all deeper levels. */
  readonly isDeep: boolean
}

export interface SensitivePlan {
  readonly payload: SensitiveValues
  readonly result: SensitiveValues
  readonly updates: SensitiveValues
  /**
   * Invalid arguments are hidden completely from each audience that must not read a sensitive field of the arguments, because invalid arguments can
   * contain sensitive values at any path.
   */
  readonly invalidArguments: Treatments
  /**
   * False if a required field is missing, or if a value outside the sensitive fields is invalid, because an invalid value may be a sensitive value at
   * a wrong path.
   */
  readonly hasFieldsInPlace: (args: unknown) => boolean
  readonly audiences: ReadonlySet<Audience>
}

export type SensitiveValues = readonly PathNode[]

export const NONE: SensitiveValues = []

export function sensitivePlan(
  fields: SensitiveFields | undefined,
  codec: Pick<Codec<never, unknown>, 'decodeValue'>,
): SensitivePlan | undefined {
  if (fields === undefined) return undefined
  const { payload, result, updates } = fields
  const all = [payload, result, updates].flatMap((paths = {}) => Object.values(paths))
  const nodes = pathTree(payload)
  const hidden = Object.values(payload ?? {}).flatMap((treatments) => Object.keys(treatments) as Audience[])
  return {
    payload: nodes,
    invalidArguments: Object.fromEntries(hidden.map((audience) => [audience, 'omit'])),
    hasFieldsInPlace: (args) => {
      const decoded = codec.decodeValue(args)
      return decoded.ok || decoded.issues.every((issue) => isInside(issue, nodes))
    },
    result: pathTree(result),
    updates: pathTree(updates),
    audiences: new Set(all.flatMap((treatments) => Object.keys(treatments) as Audience[])),
  }
}

function isInside({ constraint, path }: Issue, nodes: SensitiveValues): boolean {
  return constraint !== 'missing_field' && isSensitivePath(parsePointer(path) ?? [], nodes, () => true)
}

export function isSensitivePath(
  path: readonly string[],
  nodes: SensitiveValues,
  applies: (treatments: Treatments) => boolean,
): boolean {
  let at = nodes
  return path.some((segment) => {
    at = below(at, segment)
    const treatments = treatmentsOf(at)
    return treatments !== undefined && applies(treatments)
  })
}

function pathTree(paths: SensitivePaths | undefined): SensitiveValues {
  if (paths === undefined) return NONE
  const root: PathNode = { next: new Map(), isDeep: false }
  for (const [path, treatments] of Object.entries(paths)) {
    let node = root
    for (const segment of path.split('/').slice(1)) {
      const name = segment.replaceAll('~1', '/').replaceAll('~0', '~')
      const known = node.next.get(name)
      const child = known ?? { next: new Map<string, PathNode>(), isDeep: name === '**' }
      node.next.set(name, child)
      node = child
    }
    node.treatments = strictest(node.treatments, treatments)
  }
  return [root]
}

export function below(nodes: SensitiveValues, name: string): SensitiveValues {
  if (nodes.length === 0) return NONE
  const found: PathNode[] = []
  const add = (node: PathNode): void => {
    for (const key of [name, '*']) {
      const child = node.next.get(key)
      if (child !== undefined) found.push(child)
    }
    // `**` also stands for no level.
    const deep = node.next.get('**')
    if (deep !== undefined) {
      found.push(deep)
      add(deep)
    }
  }
  for (const node of nodes) {
    if (node.isDeep) found.push(node)
    add(node)
  }
  return found
}

export function treatmentsOf(nodes: SensitiveValues): Treatments | undefined {
  let found: Treatments | undefined
  for (const { treatments } of nodes) if (treatments !== undefined) found = strictest(found, treatments)
  return found
}

export function strictest(one: Treatments | undefined, other: Treatments): Treatments {
  if (one === undefined || one === other) return other
  const joined: { [A in Audience]?: Treatment } = { ...one }
  for (const [audience, treatment] of Object.entries(other) as [Audience, Treatment][])
    if (joined[audience] !== 'omit') joined[audience] = treatment
  return joined
}
