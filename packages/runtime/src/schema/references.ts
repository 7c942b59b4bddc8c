import type { JsonSchema } from '../types/json.js'
import { parsePointer, pointerOf, type Segment } from './json-pointer.js'
import { type Fields, isContainer, isFields } from './json-values.js'
import { keyword, SchemaError, textKeyword } from './keywords.js'
import type { Mode } from './mode.js'
import { eachSubschema, inPlaceSubschemas } from './subschemas.js'

export interface Located {
  readonly schema: unknown
  readonly pointer: string
  readonly base: string
}

const noBase = 'schema://document/'
const deepestSchema = 250

/**
 * Index of the schemas in a document. The keys are JSON Pointers and the identifiers `$id`, `$anchor` and
 * `$dynamicAnchor`.
 *
 * @throws {SchemaError} if an `$id` is not a URI, or if a schema contains itself or is nested too deep
 * @example
 * const index = new SchemaIndex({ $defs: { Id: { $anchor: 'id' } } })
 * index.resolve('#id', index.root).pointer // '/$defs/Id'
 */
export class SchemaIndex {
  readonly root: Located
  /** All schemas of the document. Includes targets of references at locations where no keyword expects a schema. */
  readonly schemas: Located[] = []
  /** True if the document contains `$dynamicRef`. If true, the evaluation records the base URIs of nested schemas. */
  dynamic: boolean = false
  /** True if a schema of the document contains `x-js`. */
  typed: boolean = false
  /** True if a schema of the document contains `default`. */
  hasDefaults: boolean = false
  /** True if several schemas of the document can apply to the same value. */
  joint: boolean = false
  readonly #readBases: Map<object, string> = new Map()
  readonly #resources: Map<string, Located> = new Map()
  readonly #anchors: Map<string, Located> = new Map()
  readonly #dynamicAnchors: Map<string, Located[]> = new Map()

  constructor(schema: JsonSchema) {
    this.root = { schema, pointer: '', base: this.#baseOf(schema, noBase, '') }
    this.#resources.set(noBase, this.root)
    this.#read(schema, '', noBase, new Set())
  }

  /**
   * Returns the target of `reference`, a `$ref` or `$dynamicRef` in the schema `from`.
   *
   * @throws {SchemaError} if the target does not exist, or if the target is in another document
   */
  resolve(reference: string, from: Located): Located {
    const target = this.find(reference, from)
    if (target === 'outside') {
      const problem = `the reference \`${reference}\` leads to another document; copy its schema into \`$defs\`.`
      throw new SchemaError(from.pointer, problem)
    }
    if (target === undefined) throw new SchemaError(from.pointer, `the reference \`${reference}\` has no target.`)
    return target
  }

  /** Returns the target of a reference. Returns `'outside'` if the target is in another document, and `undefined` if the target does not exist. */
  find(reference: string, from: Located): Located | 'outside' | undefined {
    const hash = reference.indexOf('#')
    const uri = hash < 0 ? reference : reference.slice(0, hash)
    if (uri !== '' && !URL.canParse(uri, from.base)) return 'outside'
    const resource = this.#resources.get(uri === '' ? from.base : this.#uri(uri, from))
    return resource === undefined ? 'outside' : this.#fragment(hash < 0 ? '' : reference.slice(hash + 1), resource)
  }

  /** Adds a schema and its subschemas to the index. Called for the target of a `$ref` at a location where no keyword expects a schema. */
  add({ schema, pointer, base }: Located): void {
    this.#read(schema, pointer, base, new Set())
  }

  /** Returns the `$dynamicAnchor` of a reference target; `undefined` if the target has no `$dynamicAnchor`. */
  dynamicAnchorOf(target: Located): string | undefined {
    const anchor = isFields(target.schema) ? keyword(target.schema, '$dynamicAnchor') : undefined
    return typeof anchor === 'string' ? anchor : undefined
  }

  /** Returns the schemas whose `$dynamicAnchor` is `anchor`. A resource (schema with its own `$id`) has at most one such schema. */
  dynamicAnchors(anchor: string): readonly Located[] {
    return this.#dynamicAnchors.get(anchor) ?? []
  }

  /** Returns a subschema with its JSON Pointer and base URI. `path` leads from `parent` to `schema`. */
  below(parent: Located, schema: unknown, ...path: readonly Segment[]): Located {
    const pointer = parent.pointer + pointerOf(path)
    return { schema, pointer, base: this.#baseOf(schema, parent.base, pointer) }
  }

  #fragment(encoded: string, resource: Located): Located | undefined {
    const fragment = decodeFragment(encoded)
    if (fragment === undefined) return undefined
    if (fragment !== '' && !fragment.startsWith('/')) return this.#anchors.get(`${resource.base}#${fragment}`)
    let at = resource
    for (const token of parsePointer(fragment) ?? []) {
      const { schema } = at
      if (!isContainer(schema) || !Object.hasOwn(schema, token)) return undefined
      at = this.below(at, Array.isArray(schema) ? schema[Number(token)] : Reflect.get(schema, token), token)
    }
    return at
  }

  #read(schema: unknown, pointer: string, outerBase: string, within: Set<object>): void {
    if (typeof schema === 'boolean') this.schemas.push({ schema, pointer, base: outerBase })
    if (!isFields(schema)) return
    if (within.has(schema))
      throw new SchemaError(pointer, 'the schema object contains itself; use `$defs` and `$ref` instead.')
    if (this.#readBases.get(schema) === outerBase) return
    this.#readBases.set(schema, outerBase)
    if (within.size >= deepestSchema)
      throw new SchemaError('', `the schema is nested deeper than ${deepestSchema} levels.`)
    within.add(schema)
    const here: Located = { schema, pointer, base: this.#baseOf(schema, outerBase, pointer) }
    this.schemas.push(here)
    this.#register(here, schema, outerBase)
    eachSubschema(schema, (part, path) => this.#read(part, pointer + pointerOf(path), here.base, within))
    within.delete(schema)
  }

  #register(here: Located, schema: Fields, outerBase: string): void {
    const { base } = here
    if (base !== outerBase || here.pointer === '') this.#resources.set(base, here)
    const anchor = keyword(schema, '$anchor')
    const dynamicAnchor = keyword(schema, '$dynamicAnchor')
    if (typeof anchor === 'string') this.#anchors.set(`${base}#${anchor}`, here)
    if (typeof dynamicAnchor === 'string') {
      this.#anchors.set(`${base}#${dynamicAnchor}`, here)
      this.#dynamicAnchors.set(dynamicAnchor, [...this.dynamicAnchors(dynamicAnchor), here])
    }
    this.dynamic ||= keyword(schema, '$dynamicRef') !== undefined
    this.typed ||= keyword(schema, 'x-js') !== undefined
    this.hasDefaults ||= keyword(schema, 'default') !== undefined
    this.joint ||= inPlaceSubschemas(schema).length > 0 || hasOverlappingRules(schema)
  }

  #baseOf(schema: unknown, outer: string, pointer: string): string {
    const id = isFields(schema) ? keyword(schema, '$id') : undefined
    return typeof id === 'string' ? this.#uri(id.replace(/#$/, ''), { schema, pointer, base: outer }) : outer
  }

  #uri(uri: string, from: Located): string {
    try {
      return new URL(uri, from.base).href
    } catch (cause) {
      throw new SchemaError(from.pointer, `\`${uri}\` is not a valid URI reference.`, { cause })
    }
  }
}

export function decodeFragment(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    // Invalid percent-encoding: the reference has no target.
    return undefined
  }
}

function hasOverlappingRules(schema: Fields): boolean {
  if (keyword(schema, 'patternProperties') !== undefined) return true
  return keyword(schema, '$ref') !== undefined && Object.keys(schema).length > 1
}

export type Gate = (value: any, mode: Mode) => boolean // any: generated checks read fields of what they have tested

export type Gates = Readonly<Record<string, Gate>>

const annotations: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$comment'],
  ...['deprecated', 'readOnly', 'writeOnly'],
])

export function gateOf(located: Located, index: SchemaIndex, gates: Gates): Gate | undefined {
  const { schema, pointer } = located
  if (Object.hasOwn(gates, pointer)) return gates[pointer]
  if (!isFields(schema)) return undefined
  const reference = keyword(schema, '$ref')
  const saysMore = Object.keys(schema).some((name) => name !== '$ref' && !annotations.has(name))
  if (typeof reference !== 'string' || saysMore) return undefined
  const target = index.resolve(reference, located)
  return Object.hasOwn(gates, target.pointer) ? gates[target.pointer] : undefined
}

const longestChain = 200

/** The evaluation of a schema that applies itself to the same value, such as `{ $ref: '#' }`, would not end. */
export function refuseLoops(index: SchemaIndex): void {
  const finished = new Set<object>()
  const open = new Set<object>()

  function visit(located: Located): void {
    const { schema, pointer } = located
    if (!isFields(schema) || finished.has(schema)) return
    if (open.has(schema))
      throw new SchemaError(pointer, 'the schema refers to itself without a property or item in between.')
    if (open.size >= longestChain)
      throw new SchemaError(
        pointer,
        `the chain of references and nested \`allOf\`, \`anyOf\`, … is longer than ${longestChain} schemas.`,
      )
    open.add(schema)
    const reference = textKeyword({ schema, pointer }, '$ref')
    if (reference !== undefined) visit(index.resolve(reference, located))
    for (const [part, ...path] of inPlaceSubschemas(schema)) visit(index.below(located, part, ...path))
    open.delete(schema)
    finished.add(schema)
  }

  for (const schema of index.schemas) visit(schema)
}

/** Node of a graph. `parts` are the subschemas of a schema, and `targets` are the targets of its references. */
export interface Linked<Self> {
  readonly parts: readonly Self[]
  readonly targets: readonly Self[]
  /** True if other schemas apply to the same value, such as the members of `allOf` or the target of `$ref`. */
  readonly hasInPlace: boolean
}

/**
 * Returns the targets that the evaluation can reach several times for the same value: targets in a cycle of references, and shared targets with
 * keywords such as `allOf`. The evaluation caches the results of these targets.
 */
export function revisitedTargets<Node extends Linked<Node>>(root: Node): ReadonlySet<Node> {
  const revisited = new Set<Node>()
  const entered = new Set<Node>([root])
  const left = new Set<Node>()
  const stack = [{ node: root, ahead: targetsWithin(root) }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.ahead.pop()
    if (next === undefined) {
      left.add(top.node)
      stack.pop()
    } else if (!entered.has(next)) {
      entered.add(next)
      stack.push({ node: next, ahead: targetsWithin(next) })
    } else if (!left.has(next) || next.hasInPlace) {
      revisited.add(next)
    }
  }
  return revisited
}

function targetsWithin<Node extends Linked<Node>>(node: Node): Node[] {
  const seen = new Set<Node>([node])
  for (const open of seen) for (const part of open.parts) seen.add(part)
  return [...seen].flatMap((part) => part.targets)
}
