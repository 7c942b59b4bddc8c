import { definitionName } from '../../schema/canonical/definition-name.js'
import { unusedName } from '../../schema/canonical/unused-name.js'
import { isObject, objectFrom, own, stringsOf } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { isPattern, nonlinearPart } from '../../schema/json/keyword-value.js'
import { mapSubschemasOfAnyDraft } from '../../schema/json/keywords-of-any-draft.js'
import { pointerOf, refTo } from '../../schema/json/pointer.js'
import { DirectedParts } from './directed-parts.js'
import { type FieldFlag, withDiscriminatedVariants } from './discriminated-variants.js'
import { InheritedVariants } from './inherited-variants.js'
import { patternLeftOut } from './openapi-diagnostics.js'
import type { PartFinding } from './operations.js'
import type { PartKeys } from './read-document.js'
import { type DocumentPart, faultOf, type PartFault, targetOf } from './references.js'

/** Whether a schema is of what is sent, of a change that is sent, in which what is absent stays as it is, or of what comes back. */
export type Direction = 'sent' | 'patched' | 'returned'

/** What marks the fields that go the other way alone. */
const otherWays: Readonly<Record<Direction, FieldFlag>> = {
  sent: 'readOnly',
  patched: 'readOnly',
  returned: 'writeOnly',
}

/** What the name of a definition ends in that is another one in a direction. */
const endings: Readonly<Record<Direction, string>> = { sent: 'Input', patched: 'Patch', returned: '' }

/** A schema of a document that others refer to by a name, and its faults. */
interface Definition {
  readonly part: DocumentPart
  readonly direction: Direction
}

/** What says nothing of values, or is for other tools. */
const foreign: readonly string[] = [
  'example',
  'examples',
  'xml',
  'externalDocs',
  'discriminator',
  '$comment',
  '$schema',
  // References lead to definitions by their names.
  '$anchor',
]

/**
 * The schemas of a document on their way into a toolset: with references to definitions by name, and without what is for
 * other tools. A schema with fields for one direction alone becomes two.
 */
export class SchemaPool {
  readonly #root: SchemaObject
  readonly #variants: InheritedVariants
  readonly #directed: DirectedParts
  readonly #defaulting: DirectedParts
  /** Name by pointer and direction. */
  readonly #names = new Map<string, string>()
  /** Keys of parts by the names of their definitions. */
  readonly #keys = new Map<string, PartKeys>()
  readonly #pending: [string, Definition][] = []
  /** What keeps a schema from being used, by its owner: the name of a definition, or what the caller calls it. */
  readonly faults: Map<string, PartFault> = new Map()
  readonly findings: PartFinding[] = []

  constructor(root: SchemaObject) {
    this.#root = root
    const variants = new InheritedVariants(root)
    this.#variants = variants
    this.#directed = new DirectedParts({ root, variants, isMarked: goesOneWay })
    this.#defaulting = new DirectedParts({ root, variants, isMarked: hasDefault })
  }

  /** Returns the keys of the part of the document from which a definition was made. */
  keysOf(definition: string): PartKeys {
    return this.#keys.get(definition) ?? []
  }

  /** A schema of the document as a toolset has it. */
  schema(part: DocumentPart, direction: Direction, owner: string): Schema {
    const { value, keys } = part
    if (typeof value === 'boolean') return value
    if (!isObject(value)) {
      this.faults.set(owner, { why: `a schema is expected at ${pointerOf(keys)}` })
      return true
    }
    const otherWay = otherWays[direction]
    const discriminated = withDiscriminatedVariants(part, { root: this.#root, variants: this.#variants, otherWay })
    const meant = direction === 'patched' ? withToldDefault(discriminated) : discriminated
    const kept = Object.entries(meant).filter(([key]) => !foreign.includes(key) && !key.startsWith('x-'))
    const plain = this.#withoutOtherWay(withBytes(objectFrom(kept)), otherWay)
    const inside = mapSubschemasOfAnyDraft(plain, (subschema, inner) =>
      this.schema({ value: subschema, keys: [...keys, ...inner] }, direction, owner),
    )
    const known = this.#withKnownPattern(inside, keys)
    const ref = own(value, '$ref')
    return typeof ref === 'string' ? { ...known, $ref: this.#reference({ ref, keys }, direction, owner) } : known
  }

  /** All definitions to which schemas have led so far. */
  definitions(): ReadonlyMap<string, Schema> {
    const made = new Map<string, Schema>()
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      const [name, { part, direction }] = next
      made.set(name, this.schema(part, direction, name))
    }
    return made
  }

  /** @param at a reference, and where it stands */
  #reference(
    { ref, keys }: { readonly ref: string; readonly keys: PartKeys },
    asked: Direction,
    owner: string,
  ): string {
    const found = targetOf(this.#root, ref)
    if ('why' in found) {
      this.faults.set(owner, faultOf(found))
      return ref
    }
    const target = this.#variants.meant(found, keys)
    const direction = asked === 'patched' && !this.#defaulting.has(target) ? 'sent' : asked
    const pointer = pointerOf(target.keys)
    const isDirected = direction === 'patched' || this.#directed.has(target)
    const key = isDirected ? `${direction} ${pointer}` : pointer
    const known = this.#names.get(key)
    if (known !== undefined) return refTo(known)
    const last = String(target.keys.at(-1) ?? '')
    const plain = /^[\p{L}\p{N}_.-]+$/u.test(last) && last !== '__proto__' ? last : definitionName(last) || 'Definition'
    const base = this.#variants.hasVariants(target) ? `${plain}Base` : plain
    const wanted = isDirected ? `${base}${endings[direction]}` : base
    const name = unusedName(wanted, (candidate) => !this.#keys.has(candidate))
    this.#names.set(key, name)
    this.#keys.set(name, target.keys)
    this.#pending.push([name, { part: target, direction }])
    return refTo(name)
  }

  /** Without the fields that go the other way: those that are `readOnly` are not sent, those that are `writeOnly` do not come back. */
  #withoutOtherWay(schema: SchemaObject, flag: FieldFlag): SchemaObject {
    const fields = own(schema, 'properties')
    if (!isObject(fields)) return schema
    const gone = Object.entries(fields).flatMap(([name, field]) => (this.#isFlagged(field, flag) ? [name] : []))
    if (gone.length === 0) return schema
    const required = stringsOf(schema, 'required').filter((name) => !gone.includes(name))
    return objectFrom(
      Object.entries(schema).map(([key, value]): readonly [string, Json] => {
        if (key === 'properties')
          return [key, objectFrom(Object.entries(fields).filter(([name]) => !gone.includes(name)))]
        return [key, key === 'required' ? required : value]
      }),
    )
  }

  #isFlagged(field: Json, flag: FieldFlag): boolean {
    if (!isObject(field)) return false
    if (own(field, flag) === true) return true
    const ref = own(field, '$ref')
    const target = typeof ref === 'string' ? targetOf(this.#root, ref) : undefined
    return target !== undefined && 'value' in target && isObject(target.value) && own(target.value, flag) === true
  }

  #withKnownPattern(schema: SchemaObject, keys: PartKeys): SchemaObject {
    const pattern = own(schema, 'pattern')
    if (typeof pattern !== 'string') return schema
    const part = isPattern(pattern) ? nonlinearPart(pattern) : 'no form that JavaScript accepts'
    if (part === undefined) return schema
    this.findings.push({ finding: patternLeftOut(keys, pattern, part), keys: [...keys, 'pattern'] })
    return objectFrom(Object.entries(schema).filter(([key]) => key !== 'pattern'))
  }
}

function goesOneWay(object: SchemaObject): boolean {
  return own(object, 'readOnly') === true || own(object, 'writeOnly') === true
}

function hasDefault(object: SchemaObject): boolean {
  return own(object, 'default') !== undefined
}

/** A default that is said and not sent: a change has what is to be changed and nothing else. */
function withToldDefault(schema: SchemaObject): SchemaObject {
  const value = own(schema, 'default')
  if (value === undefined) return schema
  const said = own(schema, 'description')
  const words = `Default of the API: ${JSON.stringify(value)}; what is left out stays as it is.`
  return {
    ...objectFrom(Object.entries(schema).filter(([key]) => key !== 'default')),
    description: typeof said === 'string' && said.trim() !== '' ? `${said.trim()}\n\n${words}` : words,
  }
}

/** JSON has no bytes: they travel as base64. */
function withBytes(schema: SchemaObject): SchemaObject {
  if (!isBinary(schema)) return schema
  const kept = Object.entries(schema).filter(([key]) => !['type', 'format', 'contentMediaType'].includes(key))
  return { type: 'string', ...objectFrom(kept), contentEncoding: 'base64' }
}

/** Whether a schema stands for bytes, in the words of OpenAPI 3.0 or 3.1. */
export function isBinary(schema: SchemaObject): boolean {
  if (own(schema, 'type') === 'string' && own(schema, 'format') === 'binary') return true
  const isEncoded = own(schema, 'contentEncoding') !== undefined
  return own(schema, 'contentMediaType') === 'application/octet-stream' && !isEncoded
}
