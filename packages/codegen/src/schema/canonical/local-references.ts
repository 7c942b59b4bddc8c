import { entriesOf, isObject, objectFrom, own, without } from '../json/json.js'
import type { Json, Schema, SchemaObject } from '../json/json-schema.js'
import { keywords, rulesOnly } from '../json/keywords.js'
import { mapSubschemasOfAnyDraft } from '../json/keywords-of-any-draft.js'
import { decodeFragment, keysOf, pointerOf } from '../json/pointer.js'
import { atPointer, type Converted, hasErrors, type SchemaFault } from '../json/schema-fault.js'
import { definitionName } from './definition-name.js'
import type { Dialect } from './dialect.js'
import { isDynamic, leadsNowhere, leadsOutside } from './reference-faults.js'
import { type SchemaPlace, SchemaPlaces } from './schema-places.js'
import { unusedName } from './unused-name.js'

/**
 * Makes every reference a pointer into the document itself: addresses (`$id`) of the document and of schemas inside it,
 * anchors, and dynamic references that can only lead to one place are resolved and gone. What is referred to outside
 * the keywords of JSON Schema (`#/components/schemas/Pet`) moves to `$defs`.
 *
 * @param document a schema as it was written, of any draft
 */
export function localReferences(document: Schema, dialect: Dialect): Converted<Schema> {
  if (typeof document === 'boolean') return { value: document, faults: [] }
  const faults: SchemaFault[] = []
  const value = new Localising(document, dialect, faults).document()
  return hasErrors(faults) ? { faults } : { value, faults }
}

const dynamicKeywords: readonly string[] = ['$dynamicRef', '$recursiveRef']
/** What is gone when every reference is a pointer, with the type of a value that is well-formed. */
const anchorKeywords: readonly (readonly [string, string])[] = [
  ['$anchor', 'string'],
  ['$dynamicAnchor', 'string'],
  ['$recursiveAnchor', 'boolean'],
  ['$vocabulary', 'object'],
]
/** What may stand beside a `$ref` of an old draft: it restricts nothing. */
const besideRef: readonly string[] = ['$ref', '$schema', '$comment', '$defs', 'definitions']

class Localising {
  readonly #document: SchemaObject
  readonly #dialect: Dialect
  readonly #faults: SchemaFault[]
  readonly #places: SchemaPlaces
  /** By the pointer of a schema outside the keywords, the name under which it moves to `$defs`. */
  readonly #moved = new Map<string, { readonly name: string; readonly place: SchemaPlace }>()
  readonly #names: readonly string[]

  constructor(document: SchemaObject, dialect: Dialect, faults: SchemaFault[]) {
    this.#document = document
    this.#dialect = dialect
    this.#faults = faults
    this.#places = new SchemaPlaces(document, dialect, faults)
    this.#names = ['$defs', 'definitions'].flatMap((keyword) => entriesOf(document, keyword).map(([name]) => name))
  }

  document(): SchemaObject {
    const root = this.#rewriteObject(this.#document, [])
    const moved: (readonly [string, Schema])[] = []
    // Moving one schema may find references to others; they are appended while this runs.
    for (const { name, place } of this.#moved.values()) moved.push([name, this.#rewrite(place.schema, place.keys)])
    if (moved.length === 0) return root
    const emptied = new Set([...this.#moved.values()].map(({ place }) => place.keys[0] ?? ''))
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
    const inside = mapSubschemasOfAnyDraft(effective, (subschema, inner) =>
      this.#rewrite(subschema, [...keys, ...inner]),
    )
    const base = this.#places.at(keys)?.base ?? ''
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
    if (restricting.length > 0) this.#faults.push(noEffectBesideRef(restricting, keys))
    return without(schema, dead)
  }

  #localRef(keyword: string, ref: string, base: string, keys: readonly string[]): string {
    const isStatic = keyword === '$ref'
    const found = this.#resolve(ref, base)
    const target = isStatic || found.place === undefined ? found.place : this.#outermost(keyword, ref, found.place)
    if (target !== undefined) return `#${pointerOf(this.#placed(target)).replaceAll('%', '%25')}`
    if (!isStatic) this.#faults.push(isDynamic(keyword, keys))
    else this.#faults.push(found.isOutside ? leadsOutside(ref, keys) : leadsNowhere(ref, keys, this.#names))
    return ref
  }

  #resolve(ref: string, base: string): { readonly place: SchemaPlace | undefined; readonly isOutside: boolean } {
    const [uri = ''] = ref.split('#', 1)
    const address = uri === '' ? base : URL.canParse(uri, base) ? new URL(uri, base).href : ''
    const resource = this.#places.resource(address)
    if (resource === undefined) return { place: undefined, isOutside: true }
    const fragment = ref.includes('#') ? decodeFragment(ref) : ''
    const pointer = fragment === undefined ? undefined : keysOf(fragment)
    const place =
      pointer === undefined ? this.#places.anchor(address, fragment ?? '') : this.#places.below(resource, pointer)
    return { place, isOutside: false }
  }

  /**
   * The one place to which a dynamic reference can lead, `undefined` where there are several: the outermost dynamic
   * anchor counts, so it is that of the whole document, or the only one.
   */
  #outermost(keyword: string, ref: string, found: SchemaPlace): SchemaPlace | undefined {
    const schema = isObject(found.schema) ? found.schema : {}
    const name = keyword === '$recursiveRef' ? '' : decodeFragment(ref)
    const isAnchor = name === '' ? own(schema, '$recursiveAnchor') === true : own(schema, '$dynamicAnchor') === name
    return isAnchor ? this.#places.outermostAnchor(name ?? '') : found
  }

  /** Where a schema stands after what is outside the keywords has moved. */
  #placed(target: SchemaPlace): readonly string[] {
    const { keys } = target
    for (let length = keys.length; length >= 0; length -= 1) {
      const moved = this.#moved.get(pointerOf(keys.slice(0, length)))
      if (moved !== undefined && this.#places.at(keys) !== undefined)
        return ['$defs', moved.name, ...keys.slice(length)]
    }
    if (this.#places.at(keys) !== undefined) return keys
    this.#places.add(target)
    const taken = [...this.#names, ...[...this.#moved.values()].map(({ name }) => name)]
    const wanted = keys.at(-1) ?? ''
    const name = unusedName(
      /^[\p{L}\p{N}_.-]+$/u.test(wanted) && wanted !== '__proto__' ? wanted : definitionName(wanted) || 'Part',
      (candidate) => !taken.includes(candidate),
    )
    this.#moved.set(pointerOf(keys), { name, place: target })
    return ['$defs', name]
  }
}

function noEffectBesideRef(dead: readonly string[], keys: readonly string[]): SchemaFault {
  const named = dead.map((keyword) => `\`${keyword}\``).join(', ')
  return {
    code: 'TG3015',
    severity: 'warning',
    message: `Beside \`$ref\` ${atPointer(pointerOf(keys))}, ${named} has no effect in the draft that \`$schema\` names.`,
    next: 'Put the reference into `allOf`, or name draft 2020-12 in `$schema`.',
    trail: [...keys, dead[0] ?? '$ref'],
  }
}
