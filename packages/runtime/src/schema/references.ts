import type { JsonSchema } from '../types/json.js'
import { parsePointer, pointerOf, type Segment } from './json-pointer.js'
import { type Fields, isContainer, isFields } from './json-values.js'
import { keyword, SchemaError, textKeyword } from './keywords.js'
import type { Mode } from './mode.js'
import { eachSubschema, inPlaceSubschemas } from './subschemas.js'

/** A schema with where it stands and the URI against which its references are read. */
export interface Located {
  readonly schema: unknown
  readonly pointer: string
  readonly base: string
}

/** A base for schemas without `$id`; never shown. */
const noBase = 'schema://document/'
const deepestSchema = 250

/**
 * The schemas of a document by pointer and by identifier: `$id`, `$anchor`, `$dynamicAnchor`.
 *
 * @throws {SchemaError} for an `$id` that is not a URI, and for schemas that contain themselves or are nested too deep
 * @example
 * const index = new SchemaIndex({ $defs: { Id: { $anchor: 'id' } } })
 * index.resolve('#id', index.root).pointer // '/$defs/Id'
 */
export class SchemaIndex {
  readonly root: Located
  /** Every schema of the document that a keyword holds. */
  readonly schemas: Located[] = []
  /** True if `$dynamicRef` occurs, so that evaluation has to keep the dynamic scope. */
  dynamic: boolean = false
  /** True if some schema names a JavaScript type (`x-js`). */
  typed: boolean = false
  /** True if several schemas may apply to one value, so that what they say of its parts counts together. */
  joint: boolean = false
  /** Bases of schema objects: one that occurs at several locations is read once. */
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
   * Returns the target of a reference.
   *
   * @throws {SchemaError} if there is none, or if the reference leads to another document
   */
  resolve(reference: string, from: Located): Located {
    const target = this.find(reference, from)
    if (target === 'outside') {
      const problem = `the reference \`${reference}\` leads to another document; put that schema into \`$defs\`.`
      throw new SchemaError(from.pointer, problem)
    }
    if (target === undefined) throw new SchemaError(from.pointer, `the reference \`${reference}\` leads nowhere.`)
    return target
  }

  /**
   * Returns the target of a reference; `'outside'` for one to another document, `undefined` for one that leads nowhere.
   */
  find(reference: string, from: Located): Located | 'outside' | undefined {
    const hash = reference.indexOf('#')
    const uri = hash < 0 ? reference : reference.slice(0, hash)
    if (uri !== '' && !URL.canParse(uri, from.base)) return 'outside'
    const resource = this.#resources.get(uri === '' ? from.base : this.#uri(uri, from))
    return resource === undefined ? 'outside' : this.#fragment(hash < 0 ? '' : reference.slice(hash + 1), resource)
  }

  /** Adds a schema that no keyword of the document holds, with those inside it. */
  add({ schema, pointer, base }: Located): void {
    this.#read(schema, pointer, base, new Set())
  }

  /** The anchor that a dynamic reference starts from, where its target is one. */
  dynamicAnchorOf(target: Located): string | undefined {
    const anchor = isFields(target.schema) ? keyword(target.schema, '$dynamicAnchor') : undefined
    return typeof anchor === 'string' ? anchor : undefined
  }

  /** The schemas that carry a dynamic anchor, one for each resource. */
  dynamicAnchors(anchor: string): readonly Located[] {
    return this.#dynamicAnchors.get(anchor) ?? []
  }

  /** The base of a schema that stands below another one. */
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
    if (within.has(schema)) throw new SchemaError(pointer, 'it contains itself; use `$defs` and `$ref` instead.')
    if (this.#readBases.get(schema) === outerBase) return
    this.#readBases.set(schema, outerBase)
    if (within.size >= deepestSchema) throw new SchemaError('', `it is nested deeper than ${deepestSchema} levels.`)
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
    this.joint ||= inPlaceSubschemas(schema).length > 0 || saysMoreBeside(schema)
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

function decodeFragment(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    // Malformed percent-encoding: such a reference leads nowhere.
    return undefined
  }
}

/** Returns whether a schema says more than what it refers to, or names the same fields by patterns. */
function saysMoreBeside(schema: Fields): boolean {
  if (keyword(schema, 'patternProperties') !== undefined) return true
  return keyword(schema, '$ref') !== undefined && Object.keys(schema).length > 1
}

/** A generated check of one object type. */
export type Gate = (value: any, mode: Mode) => boolean // any: generated checks read fields of what they have tested

/** Generated checks by the pointers of the schemas that they check. */
export type Gates = Readonly<Record<string, Gate>>

/** Keywords that check nothing: with them alone a schema says no more than its reference. */
const annotations: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$comment'],
  ...['deprecated', 'readOnly', 'writeOnly'],
])

/** The generated check of a schema, or of what it refers to without saying more. */
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

/** Maximum number of references that follow each other without a step into the value. */
const longestChain = 200

/**
 * Refuses schemas that apply themselves to the same value, such as `{ $ref: '#' }`: no evaluation of them would end.
 */
export function refuseLoops(index: SchemaIndex): void {
  const finished = new Set<object>()
  const open = new Set<object>()

  function visit(located: Located): void {
    const { schema, pointer } = located
    if (!isFields(schema) || finished.has(schema)) return
    if (open.has(schema)) throw new SchemaError(pointer, 'it refers back to itself without a step into the value.')
    if (open.size >= longestChain) throw new SchemaError(pointer, `more than ${longestChain} references in a row.`)
    open.add(schema)
    const reference = textKeyword({ schema, pointer }, '$ref')
    if (reference !== undefined) visit(index.resolve(reference, located))
    for (const [part, ...path] of inPlaceSubschemas(schema)) visit(index.below(located, part, ...path))
    open.delete(schema)
    finished.add(schema)
  }

  for (const schema of index.schemas) visit(schema)
}

/** A node with the nodes it leads to. */
export interface Linked<Self> {
  readonly parts: readonly Self[]
  /** Targets of its own references, one for each reference. */
  readonly targets: readonly Self[]
  /** True if it applies subschemas to the same value. */
  readonly hasInPlace: boolean
}

/**
 * The targets of references to which evaluation may come again for the same value: those that a cycle of references
 * leads back to, and those that lead on to others and that several references lead to.
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

/** Returns the targets of the references within a schema, at any depth. */
function targetsWithin<Node extends Linked<Node>>(node: Node): Node[] {
  const seen = new Set<Node>([node])
  for (const open of seen) for (const part of open.parts) seen.add(part)
  return [...seen].flatMap((part) => part.targets)
}
