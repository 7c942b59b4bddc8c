import { eachSubschema, mapSubschemas, parsePointer, pointerOf } from '@toolgen/runtime/schema'
import {
  atPointer,
  type Converted,
  entriesOf,
  hasErrors,
  isObject,
  isSchema,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  schemaWarning,
  without,
} from './json-schema.js'
import { keywords, rulesOnly } from './keywords.js'
import { badAddress, isDynamic, leadsNowhere, leadsOutside } from './normalize.js'
import { type Dialect, decodeFragment, definitionName, unusedName } from './references.js'

/**
 * Makes every reference a pointer into the document itself: addresses (`$id`) of the document and of schemas inside it,
 * anchors, and dynamic references that can only lead to one place are resolved and gone. What is referred to outside
 * the keywords of JSON Schema (`#/components/schemas/Pet`) moves to `$defs`.
 *
 * @param document a schema as it was written, of any draft
 */
export function localReferences(document: Schema, dialect: Dialect): Converted<Schema> {
  if (typeof document === 'boolean') return { value: document, diagnostics: [] }
  const diagnostics: SchemaDiagnostic[] = []
  const value = new LocalReferences(document, dialect, diagnostics).document()
  return hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics }
}

const dynamicKeywords: readonly string[] = ['$dynamicRef', '$recursiveRef']
/** Keywords that disappear when every reference is a pointer, with the type of a well-formed value. */
const anchorKeywords: readonly (readonly [string, string])[] = [
  ['$anchor', 'string'],
  ['$dynamicAnchor', 'string'],
  ['$recursiveAnchor', 'boolean'],
  ['$vocabulary', 'object'],
]
/** Keywords that may accompany the `$ref` of an old draft: they restrict nothing. */
const besideRef: readonly string[] = ['$ref', '$schema', '$comment', '$defs', 'definitions']

class LocalReferences {
  readonly #document: SchemaObject
  readonly #dialect: Dialect
  readonly #diagnostics: SchemaDiagnostic[]
  readonly #locations: SchemaLocations
  /** By the pointer of a schema outside the keywords, the name under which it moves to `$defs`. */
  readonly #moved = new Map<string, { readonly name: string; readonly location: SchemaLocation }>()
  readonly #names: readonly string[]

  constructor(document: SchemaObject, dialect: Dialect, diagnostics: SchemaDiagnostic[]) {
    this.#document = document
    this.#dialect = dialect
    this.#diagnostics = diagnostics
    this.#locations = new SchemaLocations(document, dialect, diagnostics)
    this.#names = ['$defs', 'definitions'].flatMap((keyword) => entriesOf(document, keyword).map(([name]) => name))
  }

  document(): SchemaObject {
    const root = this.#rewriteObject(this.#document, [])
    const moved: (readonly [string, Schema])[] = []
    // Moving one schema may find references to others; they are appended while this runs.
    for (const { name, location } of this.#moved.values())
      moved.push([name, this.#rewrite(location.schema, location.keys)])
    if (moved.length === 0) return root
    const emptied = new Set([...this.#moved.values()].map(({ location }) => location.keys[0] ?? ''))
    const kept = without(
      root,
      [...emptied].filter((keyword) => !keywords.has(keyword)),
    )
    return { ...kept, $defs: objectFrom([...entriesOf(kept, '$defs'), ...moved]) }
  }

  #rewrite(schema: Schema, keys: readonly string[]): Schema {
    return typeof schema === 'boolean' ? schema : this.#rewriteObject(schema, keys)
  }

  #rewriteObject(schema: SchemaObject, keys: readonly string[]): SchemaObject {
    const effective = this.#withoutDeadSiblings(schema, keys)
    const inside = mapSubschemas(effective, (subschema, inner) => this.#rewrite(subschema, [...keys, ...inner]))
    const base = this.#locations.at(keys)?.base ?? ''
    const refs = ['$ref', ...dynamicKeywords].flatMap((keyword) => {
      const ref = own(inside, keyword)
      return typeof ref === 'string' ? [this.#localRef(keyword, ref, base, keys)] : []
    })
    const resolved = [...anchorKeywords, [this.#dialect.address, 'string'] as const]
    const gone = resolved.filter(([keyword, type]) => typeof own(inside, keyword) === type).map(([keyword]) => keyword)
    const bare = without(inside, [...gone, ...dynamicKeywords])
    const [first, ...others] = refs
    if (first === undefined) return bare
    const single = Object.hasOwn(bare, '$ref')
      ? objectFrom(Object.entries(bare).map(([key, value]) => [key, key === '$ref' ? first : value] as const))
      : { ...bare, $ref: first }
    if (others.length === 0) return single
    const parts = own(single, 'allOf')
    return { ...single, allOf: [...(Array.isArray(parts) ? parts : []), ...others.map((ref): Json => ({ $ref: ref }))] }
  }

  /** Drafts 04 to 07 ignore what stands beside a `$ref`. */
  #withoutDeadSiblings(schema: SchemaObject, keys: readonly string[]): SchemaObject {
    if (!this.#dialect.loneRef || typeof own(schema, '$ref') !== 'string') return schema
    const rules = rulesOnly(schema)
    const dead = Object.keys(rules).filter((keyword) => !besideRef.includes(keyword))
    const restricting = dead.filter((keyword) => keywords.has(keyword) && keyword !== '$id' && keyword !== '$anchor')
    if (restricting.length > 0) this.#diagnostics.push(noEffectBesideRef(restricting, keys))
    return without(schema, dead)
  }

  #localRef(keyword: string, ref: string, base: string, keys: readonly string[]): string {
    const isStatic = keyword === '$ref'
    const found = this.#resolve(ref, base)
    const target =
      isStatic || found.location === undefined ? found.location : this.#outermost(keyword, ref, found.location)
    if (target !== undefined) return `#${pointerOf(this.#placed(target)).replaceAll('%', '%25')}`
    if (!isStatic) this.#diagnostics.push(isDynamic(keyword, keys))
    else this.#diagnostics.push(found.isOutside ? leadsOutside(ref, keys) : leadsNowhere(ref, keys, this.#names))
    return ref
  }

  #resolve(ref: string, base: string): { readonly location: SchemaLocation | undefined; readonly isOutside: boolean } {
    const [uri = ''] = ref.split('#', 1)
    const address = uri === '' ? base : URL.canParse(uri, base) ? new URL(uri, base).href : ''
    const resource = this.#locations.resource(address)
    if (resource === undefined) return { location: undefined, isOutside: true }
    const fragment = ref.includes('#') ? decodeFragment(ref) : ''
    const pointer = fragment === undefined ? undefined : parsePointer(fragment)
    const location =
      pointer === undefined ? this.#locations.anchor(address, fragment ?? '') : this.#locations.below(resource, pointer)
    return { location, isOutside: false }
  }

  /**
   * The one place to which a dynamic reference can lead, `undefined` where there are several: the outermost dynamic
   * anchor counts, so it is that of the whole document, or the only one.
   */
  #outermost(keyword: string, ref: string, found: SchemaLocation): SchemaLocation | undefined {
    const schema = isObject(found.schema) ? found.schema : {}
    const name = keyword === '$recursiveRef' ? '' : decodeFragment(ref)
    const isAnchor = name === '' ? own(schema, '$recursiveAnchor') === true : own(schema, '$dynamicAnchor') === name
    return isAnchor ? this.#locations.outermostAnchor(name ?? '') : found
  }

  /** Returns the path of a schema after schemas outside of keywords have moved. */
  #placed(target: SchemaLocation): readonly string[] {
    const { keys } = target
    for (let length = keys.length; length >= 0; length -= 1) {
      const moved = this.#moved.get(pointerOf(keys.slice(0, length)))
      if (moved !== undefined && this.#locations.at(keys) !== undefined)
        return ['$defs', moved.name, ...keys.slice(length)]
    }
    if (this.#locations.at(keys) !== undefined) return keys
    this.#locations.add(target)
    const taken = [...this.#names, ...[...this.#moved.values()].map(({ name }) => name)]
    const wanted = keys.at(-1) ?? ''
    const name = unusedName(
      /^[\p{L}\p{N}_.-]+$/u.test(wanted) && wanted !== '__proto__' ? wanted : definitionName(wanted) || 'Part',
      (candidate) => !taken.includes(candidate),
    )
    this.#moved.set(pointerOf(keys), { name, location: target })
    return ['$defs', name]
  }
}

function noEffectBesideRef(dead: readonly string[], keys: readonly string[]): SchemaDiagnostic {
  const named = dead.map((keyword) => `\`${keyword}\``).join(', ')
  return schemaWarning(
    'TG3015',
    `Beside \`$ref\` ${atPointer(pointerOf(keys))}, ${named} has no effect in the draft that \`$schema\` names.`,
    'Put the reference into `allOf`, or name draft 2020-12 in `$schema`.',
    [...keys, dead[0] ?? '$ref'],
  )
}

/** The address of a document that gives none; never shown. */
const unnamed = 'schema://document/'

interface SchemaLocation {
  readonly schema: Schema
  readonly keys: readonly string[]
  /** The address against which the references of the schema are read. */
  readonly base: string
}

/** The schemas of a document as it was written, by place, by address (`$id`) and by anchor. */
class SchemaLocations {
  readonly #dialect: Dialect
  readonly #diagnostics: SchemaDiagnostic[]
  readonly #byPointer = new Map<string, SchemaLocation>()
  readonly #resources = new Map<string, SchemaLocation>()
  readonly #anchors = new Map<string, SchemaLocation>()
  /** By name, and by the address within which they stand. */
  readonly #dynamicAnchors = new Map<string, Map<string, SchemaLocation>>()
  readonly #root: SchemaLocation

  constructor(document: Schema, dialect: Dialect, diagnostics: SchemaDiagnostic[]) {
    this.#dialect = dialect
    this.#diagnostics = diagnostics
    this.#root = { schema: document, keys: [], base: unnamed }
    this.#resources.set(unnamed, this.#root)
    this.add(this.#root)
  }

  /** The place at a pointer, if a schema stands there by a keyword that is understood. */
  at(keys: readonly string[]): SchemaLocation | undefined {
    return this.#byPointer.get(pointerOf(keys))
  }

  /**
   * Returns the location of a dynamic anchor that counts from everywhere: that of the document's own address, else the only one.
   *
   * @param name `''` is what `$recursiveAnchor` sets
   */
  outermostAnchor(name: string): SchemaLocation | undefined {
    const known = this.#dynamicAnchors.get(name)
    return known?.get(this.at([])?.base ?? '') ?? (known?.size === 1 ? [...known.values()][0] : undefined)
  }

  /** The resource with an address. */
  resource(address: string): SchemaLocation | undefined {
    return this.#resources.get(address)
  }

  /** The schema with an anchor within an address. */
  anchor(address: string, name: string): SchemaLocation | undefined {
    return this.#anchors.get(`${address}#${name}`)
  }

  /**
   * The value at a pointer below a place, with the base that is in force there.
   *
   * @returns `undefined` where no schema is
   */
  below(location: SchemaLocation, keys: readonly string[]): SchemaLocation | undefined {
    let current: Json | undefined = location.schema
    let { base } = location
    const walked = [...location.keys]
    for (const key of keys) {
      current = valueAt(current, key)
      walked.push(key)
      base = this.at(walked)?.base ?? base
    }
    return isSchema(current) ? { schema: current, keys: walked, base } : undefined
  }

  /** Registers a schema and those inside it. */
  add({ schema, keys, base: outer }: SchemaLocation): void {
    const base = typeof schema === 'boolean' ? outer : this.#identify(schema, keys, outer)
    this.#byPointer.set(pointerOf(keys), { schema, keys, base })
    if (typeof schema === 'boolean') return
    eachSubschema(schema, (subschema, inner) => {
      this.add({ schema: subschema, keys: [...keys, ...inner], base })
    })
  }

  #identify(schema: SchemaObject, keys: readonly string[], outer: string): string {
    const { address, loneRef } = this.#dialect
    const id = loneRef && typeof own(schema, '$ref') === 'string' ? undefined : own(schema, address)
    let base = outer
    if (typeof id === 'string' && !(loneRef && id.startsWith('#'))) {
      if (URL.canParse(id, outer)) base = new URL(id, outer).href.split('#', 1).join('')
      else this.#diagnostics.push(badAddress(id, address, keys))
      this.#resources.set(base, { schema, keys, base })
    }
    const here = { schema, keys, base }
    if (typeof id === 'string' && loneRef && id.startsWith('#')) this.#anchors.set(base + id, here)
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = own(schema, keyword)
      if (typeof name !== 'string') continue
      this.#anchors.set(`${base}#${name}`, here)
      if (keyword === '$dynamicAnchor') this.#addDynamic(name, here)
    }
    if (own(schema, '$recursiveAnchor') === true) this.#addDynamic('', here)
    return base
  }

  #addDynamic(name: string, location: SchemaLocation): void {
    const known = this.#dynamicAnchors.get(name) ?? new Map<string, SchemaLocation>()
    this.#dynamicAnchors.set(name, known.set(location.base, location))
  }
}

function valueAt(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
  return isObject(value) ? own(value, key) : undefined
}
