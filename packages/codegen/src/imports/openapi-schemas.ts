import { eachSubschema, isLegalPattern, mapSubschemas, pointerOf, unsupportedPart } from '@toolgen/runtime/schema'
import { defaultsChecker } from '../ir/tool-rules.js'
import {
  isObject,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaFault,
  type SchemaObject,
  stringsOf,
} from '../schema/json-schema.js'
import { definitionName, definitionsUsed, refName, refTo, unusedName } from '../schema/references.js'
import { impossiblePart, type KnownParts } from '../schema/shape-parts.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { valueValidator } from '../schema/validate-value.js'
import { mappedNowhere, patternLeftOut } from './openapi-diagnostics.js'
import type { PartFinding } from './openapi-operations.js'
import {
  type DocumentPart,
  faultOf,
  type ImpossibleVariant,
  type PartFault,
  type PartKeys,
  partAt,
  targetOf,
} from './openapi-references.js'
import { type FieldFlag, InheritedVariants, withDiscriminatedVariants } from './openapi-variants.js'
import { withoutContradictions, withoutDefaults } from './tool-schemas.js'

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
  /** Pointers of the discriminators whose mappings were checked. */
  readonly #checkedMappings = new Set<string>()

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
    this.#checkMapping(value, keys)
    const discriminated = withDiscriminatedVariants(part, { root: this.#root, variants: this.#variants, otherWay })
    const meant = direction === 'patched' ? withToldDefault(discriminated) : discriminated
    const kept = Object.entries(meant).filter(([key]) => !foreign.includes(key) && !key.startsWith('x-'))
    const plain = this.#withoutOtherWay(withBytes(objectFrom(kept)), otherWay)
    const inside = mapSubschemas(plain, (subschema, inner) =>
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

  /** Reports the values of a discriminator that are mapped to schemas which the document does not have. */
  #checkMapping(schema: SchemaObject, keys: PartKeys): void {
    const discriminator = own(schema, 'discriminator')
    const mapping = isObject(discriminator) ? own(discriminator, 'mapping') : undefined
    const at = [...keys, 'discriminator', 'mapping']
    // A schema can be read once for each direction.
    if (!isObject(mapping) || this.#checkedMappings.has(pointerOf(at))) return
    this.#checkedMappings.add(pointerOf(at))
    for (const [tag, target] of Object.entries(mapping)) {
      if (typeof target === 'string' && !this.#hasSchema(target)) {
        this.findings.push({ finding: mappedNowhere(at, tag, target), keys: [...at, tag] })
      }
    }
  }

  /** True for the name of a schema of the document, and for a reference to a part of it. */
  #hasSchema(target: string): boolean {
    return (
      'value' in targetOf(this.#root, target) || partAt(this.#root, ['components', 'schemas', target]) !== undefined
    )
  }

  #withKnownPattern(schema: SchemaObject, keys: PartKeys): SchemaObject {
    const pattern = own(schema, 'pattern')
    if (typeof pattern !== 'string') return schema
    const part = isLegalPattern(pattern) ? unsupportedPart(pattern) : 'no form that JavaScript accepts'
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

/** What parts are looked through with. */
interface PartsScene {
  readonly root: SchemaObject
  readonly variants: InheritedVariants
  /** Whether an object says of itself that it reads differently in one direction. */
  readonly isMarked: (object: SchemaObject) => boolean
}

interface OwnParts {
  readonly isFlagged: boolean
  readonly targets: readonly DocumentPart[]
}

/** Which schemas of a document read differently in one direction, themselves or through others. */
class DirectedParts {
  readonly #scene: PartsScene
  readonly #own = new Map<string, OwnParts>()
  readonly #known = new Map<string, boolean>()

  constructor(scene: PartsScene) {
    this.#scene = scene
  }

  has(part: DocumentPart): boolean {
    const start = pointerOf(part.keys)
    const known = this.#known.get(start)
    if (known !== undefined) return known
    const met = new Set<string>()
    const pending = [part]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const pointer = pointerOf(next.keys)
      if (met.has(pointer)) continue
      met.add(pointer)
      const { isFlagged, targets } = this.#ownParts(next, pointer)
      if (isFlagged || this.#known.get(pointer) === true) {
        this.#known.set(start, true)
        return true
      }
      if (this.#known.get(pointer) === undefined) pending.push(...targets)
    }
    // None of all that it leads to reads differently.
    for (const pointer of met) this.#known.set(pointer, false)
    return false
  }

  #ownParts(part: DocumentPart, pointer: string): OwnParts {
    const known = this.#own.get(pointer)
    if (known !== undefined) return known
    const refs = new Set<string>()
    const { root, variants, isMarked } = this.#scene
    const isFlagged = collect(part.value, refs, isMarked)
    const targets = [...refs].flatMap((ref) => {
      const target = targetOf(root, ref)
      if ('why' in target) return []
      return variants.hasVariants(target) ? [target, variants.meant(target, [])] : [target]
    })
    const found = { isFlagged, targets }
    this.#own.set(pointer, found)
    return found
  }
}

/** Collects the references of a value; answers whether something in it is marked. */
function collect(value: Json, refs: Set<string>, isMarked: PartsScene['isMarked']): boolean {
  if (Array.isArray(value)) return value.map((item: Json) => collect(item, refs, isMarked)).includes(true)
  if (!isObject(value)) return false
  const ref = own(value, '$ref')
  if (typeof ref === 'string') refs.add(ref)
  const inside = Object.values(value).map((item) => collect(item, refs, isMarked))
  return inside.includes(true) || isMarked(value)
}

/** Schemas over the definitions that they need, in the form of JSON Schema 2020-12. */
interface SettledSchemas {
  /** Those that can be used, by their names. */
  readonly schemas: ReadonlyMap<string, Schema>
  /** Sorted by name. */
  readonly definitions: Readonly<Record<string, Schema>>
  /** Why the others cannot. */
  readonly faults: ReadonlyMap<string, PartFault>
  /** The complaint about a default that was left out, by the name of its schema or definition. */
  readonly misfits: ReadonlyMap<string, string>
  /** Repairs of the loose dialects, by the name of the schema or definition. */
  readonly repairs: ReadonlyMap<string, readonly SchemaFault[]>
  /** The variants of unions that no value fits, by the name of the schema or definition with the union. */
  readonly impossible: ReadonlyMap<string, readonly ImpossibleVariant[]>
}

/**
 * Reads schemas and definitions together, each once. What cannot be read is left out, and with it all that needs it.
 *
 * @param known what is known to be wrong, by the names of schemas and definitions
 * @param isSent whether a schema is one of what is sent
 */
export function settledSchemas(
  schemas: ReadonlyMap<string, Schema>,
  definitions: ReadonlyMap<string, Schema>,
  known: ReadonlyMap<string, PartFault>,
  isSent: (name: string) => boolean,
): SettledSchemas {
  const faults = new Map(known)
  for (;;) {
    spread(faults, [...schemas, ...definitions])
    const usable = ([name]: readonly [string, Schema]): boolean => !faults.has(name)
    const properties = objectFrom([...schemas].filter(usable))
    const $defs = objectFrom([...definitions].filter(usable))
    const before = faults.size
    const repairs = new Map<string, readonly SchemaFault[]>()
    const { value, faults: found } = toJsonSchema({ type: 'object', properties, $defs }, { io: 'output', hint: 'Root' })
    for (const fault of found) {
      const owner = fault.trail[1]
      if (typeof owner !== 'string') continue
      if (fault.severity === 'error') faults.set(owner, { why: fault.message.replace(/\.$/, '') })
      if (isRepair(fault)) repairs.set(owner, [...(repairs.get(owner) ?? []), fault])
    }
    if (value === undefined) {
      if (faults.size > before) continue
      throw new Error(`The schemas of a document cannot be read: ${found[0]?.message ?? 'nobody says why'}`)
    }
    const root = isObject(value.root) ? (own(value.root, 'properties') ?? {}) : {}
    const read = { schemas: new Map(schemasIn(root)), defs: Object.fromEntries(value.defs) }
    for (const [name, schema] of read.schemas) {
      const impossible = impossiblePart(schema, read.defs)
      if (impossible === undefined) continue
      faults.set(name, {
        why: `no value fits ${impossible.length === 0 ? 'it' : `its field \`${impossible.join('.')}\``}`,
      })
      read.schemas.delete(name)
    }
    const fitted = withFittingDefaults(read, isSent)
    const used = usedOf(fitted.schemas, fitted.definitions)
    return { ...fitted, definitions: used, faults, repairs, impossible: impossibleVariants(fitted.schemas, used) }
  }
}

/** Returns whether a finding is a repair that loses or chooses something. */
function isRepair({ code, severity }: SchemaFault): boolean {
  return severity === 'warning' && /^TG303\d$/.test(code)
}

/** What refers to something that cannot be used cannot be used either. */
function spread(faults: Map<string, PartFault>, all: readonly (readonly [string, Schema])[]): void {
  if (faults.size === 0) return
  const users = new Map<string, string[]>()
  for (const [user, schema] of all) {
    for (const name of new Set(namesIn(schema))) {
      const known = users.get(name)
      if (known === undefined) users.set(name, [user])
      else known.push(user)
    }
  }
  // Those that are found on the way are appended while this runs.
  for (const [name, fault] of faults) {
    for (const user of users.get(name) ?? []) {
      if (!faults.has(user)) faults.set(user, fault)
    }
  }
}

function namesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => namesIn(item))
  if (!isObject(value)) return []
  const name = refName(own(value, '$ref'))
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(namesIn)]
}

function schemasIn(properties: Json): readonly (readonly [string, Schema])[] {
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isObject(schema) || typeof schema === 'boolean' ? [[name, schema] as const] : [],
  )
}

/** A design takes no default that is not a value of its own schema. */
function withFittingDefaults(
  { schemas, defs }: { readonly schemas: ReadonlyMap<string, Schema>; readonly defs: Readonly<Record<string, Schema>> },
  isSent: (name: string) => boolean,
): Pick<SettledSchemas, 'schemas' | 'definitions' | 'misfits'> {
  const misfits = new Map<string, string>()
  const at = { what: '', locationOf: () => ({ file: '', line: 0, column: 0 }) }
  const [sent, returned] = (['reject', 'keep'] as const).map((unknown) =>
    defaultsChecker(valueValidator(defs, unknown)),
  )
  const fitted = (name: string, schema: Schema, isOfSent: boolean): Schema => {
    const check = isOfSent ? sent : returned
    const [first] = check?.(schema, at) ?? []
    if (first === undefined || check === undefined) return schema
    misfits.set(name, first.message.replace(/^: The default /, 'the default ').replace(/\.$/, ''))
    const agreeing = withoutContradictions(schema)
    return check(agreeing, at).length === 0 ? agreeing : withoutDefaults(schema)
  }
  return {
    schemas: new Map([...schemas].map(([name, schema]) => [name, fitted(name, schema, isSent(name))])),
    definitions: objectFrom(Object.entries(defs).map(([name, schema]) => [name, fitted(name, schema, false)])),
    misfits,
  }
}

function usedOf(
  schemas: ReadonlyMap<string, Schema>,
  definitions: Readonly<Record<string, Schema>>,
): Readonly<Record<string, Schema>> {
  const all: SchemaObject = objectFrom<Json>([['allOf', [...schemas.values()]]])
  return objectFrom(definitionsUsed(all, definitions).map((name) => [name, own(definitions, name) ?? true] as const))
}

function impossibleVariants(
  schemas: ReadonlyMap<string, Schema>,
  defs: Readonly<Record<string, Schema>>,
): SettledSchemas['impossible'] {
  const all = new Map<string, readonly ImpossibleVariant[]>()
  const known: KnownParts = new Map()
  const collect = (schema: Schema, found: ImpossibleVariant[]): void => {
    if (!isObject(schema)) return
    for (const keyword of ['oneOf', 'anyOf']) {
      const variants = own(schema, keyword)
      for (const [index, variant] of Array.isArray(variants) ? variants.entries() : []) {
        const fields = isObject(variant) ? impossiblePart(variant, defs, known) : undefined
        if (fields !== undefined) found.push({ variant: variantName(variant, index), fields })
      }
    }
    eachSubschema(schema, (subschema) => collect(subschema, found))
  }
  for (const [name, schema] of [...schemas, ...Object.entries(defs)]) {
    const found: ImpossibleVariant[] = []
    collect(schema, found)
    if (found.length > 0) all.set(name, found)
  }
  return all
}

/** Returns the name of a variant: that of its definition, which can stand in an `allOf`, else its title or its number. */
function variantName(variant: Json, index: number): string {
  const parts = isObject(variant) ? [variant, ...[own(variant, 'allOf') ?? []].flat()].filter(isObject) : []
  const [name] = parts.flatMap((part) => refName(own(part, '$ref')) ?? own(part, 'title') ?? [])
  return typeof name === 'string' ? name : `number ${index + 1}`
}
