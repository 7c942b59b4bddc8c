import { parsePointer, pointerOf, pointerSegment } from '../schema/json-pointer.js'
import { equalityKey, type Fields, isContainer, isFields, kindOf, MAX_DEPTH } from '../schema/json-values.js'
import { entriesKeyword, hasKind, kindsOf, listKeyword, literalsOf, namesKeyword, namesOf } from '../schema/keywords.js'
import { parseJson } from '../schema/parse-json.js'
import { readDocument, type SchemaDocument } from '../schema/prepare.js'
import { subschemasOf } from '../schema/subschemas.js'
import type { JsonKind } from '../types/codec.js'
import type { JsonSchema, JsonSchemaObject, JsonText } from '../types/json.js'
import { type ProjectionChange, restrictingKeywords, without } from './changes.js'
import { described } from './constraint-notes.js'
import { fieldNames, mergeSchemas, typeList } from './merge-schemas.js'
import { requiredNote, requiredSets } from './object-root.js'
import { removedNotes } from './removed-keywords.js'
import { accepts, flattened, inlinedPart, located } from './schemas.js'

interface StrictProjection {
  readonly changes: readonly ProjectionChange[]
  /** `undefined` if `changes` contains a `fallback`. */
  readonly strict:
    | {
        readonly parameters: JsonSchemaObject
        /** Deletes all nulls that represent absent fields. Does not change invalid JSON. */
        readonly restore: (json: JsonText) => JsonText
      }
    | undefined
}

export function strictProjection(schema: JsonSchema): StrictProjection {
  const writer = new StrictWriter(schema)
  const { schema: parameters, removeNulls } = writer.document(schema)
  const { changes } = writer
  for (const message of exceededLimits(parameters)) {
    changes.push({ pointer: '', keyword: 'properties', kind: 'fallback', message, loosens: false })
  }
  if (changes.some((change) => change.kind === 'fallback')) return { changes, strict: undefined }
  const restore = (json: JsonText): JsonText => {
    const parsed = removeNulls === undefined ? undefined : parseJson(json)
    if (!parsed?.ok || isDeeperThan(parsed.value, MAX_DEPTH)) return json
    return removeNulls?.(parsed.value) ? JSON.stringify(parsed.value) : json
  }
  return { changes, strict: { parameters, restore } }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  return isContainer(value) && (levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1)))
}

type NullRemover = (value: unknown) => boolean

/** Strict mode has no optional fields: a model sends null for an absent field, and `removeNulls` deletes such nulls. */
interface StrictNode {
  readonly schema: JsonSchemaObject
  readonly removeNulls: NullRemover | undefined
}

/**
 * Supported keywords of OpenAI's strict mode ("Structured Outputs"), as of autumn 2026 (guide "Supported schemas", and errors):
 *
 * - The root is an object without `anyOf`. Every object lists all of its fields in `required` and has
 *   `additionalProperties: false`. An optional field becomes a required field that can be null.
 * - Types: string, number, integer, boolean, null, object, array; `enum`, `const`, nested `anyOf`, `$ref` to `$defs`,
 *   recursion. Every schema has a type ("schema must have a 'type' key"), every array has items. A `$ref` is the only
 *   keyword ("$ref cannot have keywords").
 * - Strings: `pattern` without look-arounds ("regex lookaround is not supported") and nine formats ("'uri' is not a
 *   valid format"). Numbers: bounds and `multipleOf`. Arrays: `minItems`, `maxItems`.
 * - Not supported: `oneOf`, `allOf`, `not`, `if`, `dependent*`, `minLength`, `maxLength`, `uniqueItems`, `default`,
 *   `prefixItems` and any other keyword ("is not permitted").
 * - Limits: 5,000 fields, 10 levels of objects, 120,000 characters of names and literals, 1,000 enum values, and 15,000
 *   characters in an enum of more than 250 strings.
 */
const NUMBER_KEYWORDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const ARRAY_KEYWORDS = ['minItems', 'maxItems']
const SUPPORTED: readonly (readonly [JsonKind, readonly string[]])[] = [
  ['string', ['pattern', 'format']],
  ['number', NUMBER_KEYWORDS],
  ['integer', NUMBER_KEYWORDS],
  ['array', ARRAY_KEYWORDS],
]

const REWRITTEN: Partial<Record<JsonKind, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'patternProperties'],
  array: ['items', 'prefixItems', 'unevaluatedItems'],
}

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const ANNOTATIONS = ['title', 'description']
const REPLACED = ['type', 'enum', 'const', '$defs', ...ANNOTATIONS]
const LIMITS = { fields: 5_000, levels: 10, characters: 120_000, enumValues: 1_000 } as const
const LONG_ENUM = { values: 250, characters: 15_000 } as const

const TYPICAL: readonly (readonly [JsonKind, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', NUMBER_KEYWORDS],
]
const EVERY_KIND: readonly JsonKind[] = ['string', 'number', 'boolean', 'null', 'array', 'object']

interface StrictField extends StrictNode {
  readonly name: string
  readonly isNullAbsent: boolean
}

interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly variants: readonly unknown[]
  readonly base: Fields
}

class StrictWriter {
  readonly changes: ProjectionChange[] = []
  readonly #document: SchemaDocument
  readonly #definitions: Map<string, StrictNode | undefined> = new Map()
  readonly #pending: { readonly name: string; readonly schema: unknown }[] = []
  #strict: { readonly schema: JsonSchemaObject; read?: SchemaDocument } = { schema: {} }

  constructor(schema: JsonSchema) {
    // The document is only used to check whether schemas accept null, for which patterns do not matter.
    this.#document = readDocument(schema, { patterns: false })
  }

  document(schema: JsonSchema): StrictNode {
    const root = this.#root(schema)
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      this.#definitions.set(next.name, this.#write(next.schema, pointerOf(['$defs', next.name])))
    }
    const definitions = [...this.#definitions].map(([name, node]) => [name, node?.schema ?? {}] as const)
    const whole = { ...root.schema, ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }) }
    this.#strict = { schema: whole }
    return { ...root, schema: whole }
  }

  #root(schema: JsonSchema): StrictNode {
    const whole = isFields(schema) ? inlinedPart(schema, this.#document) : undefined
    if (whole === undefined)
      return this.#refuse('', 'type', 'The schema of the arguments cannot be written as one object schema.')
    const [union, another] = unionsOf(whole)
    const plain = union && another === undefined ? this.#withoutRequiredSets(union, '') : undefined
    if (union !== undefined && plain === undefined) {
      return this.#refuse('', 'anyOf', 'The arguments are a union; strict mode requires one object.')
    }
    const { base, notes } = plain ?? { base: whole, notes: [] }
    const kinds = kindsOf({ schema: base, pointer: '' })
    if (kinds !== undefined && !kinds.includes('object')) {
      return this.#refuse('', 'type', 'The arguments are not an object; strict mode requires an object.')
    }
    // Arguments are always an object, even if the schema accepts other values.
    return this.#plain({ ...base, type: 'object' }, '', notes)
  }

  #write(schema: unknown, pointer: string): StrictNode {
    if (schema === false) {
      return this.#refuse(pointer, 'type', 'The schema allows no value; strict mode cannot express that.')
    }
    if (!isFields(schema) || restrictingKeywords(schema).length === 0) {
      return this.#refuse(pointer, 'type', 'The schema accepts any value; strict mode requires a type.')
    }
    const whole = flattened(schema, this.#document)
    if (whole === undefined) {
      const message = 'The schemas of `allOf` cannot be merged; strict mode does not support `allOf`.'
      return this.#refuse(pointer, 'allOf', message)
    }
    if (typeof whole.$ref === 'string') return this.#reference(whole, whole.$ref, pointer)
    const [union, another] = unionsOf(whole)
    if (union === undefined) return this.#plain(whole, pointer)
    if (another !== undefined) {
      return this.#refuse(pointer, 'oneOf', 'The schema has `anyOf` and `oneOf`; strict mode supports only one.')
    }
    const plain = this.#withoutRequiredSets(union, pointer)
    return plain === undefined ? this.#union(whole, union, pointer) : this.#plain(plain.base, pointer, plain.notes)
  }

  #refuse(pointer: string, keyword: string, message: string): StrictNode {
    this.changes.push({ pointer, keyword, kind: 'fallback', message, loosens: false })
    return { schema: {}, removeNulls: undefined }
  }

  #report(pointer: string, keyword: string, message: string, loosens = false): void {
    this.changes.push({ pointer, keyword, kind: 'changed', message, loosens })
  }

  #notes(schema: Fields, pointer: string, keeps: readonly string[], kinds?: readonly JsonKind[]): readonly string[] {
    const report = (change: ProjectionChange): void => void this.changes.push(change)
    const vendor = "OpenAI's strict mode"
    return removedNotes({ schema, pointer, keeps: (keyword) => keeps.includes(keyword), kinds, vendor, report })
  }

  /** Moves annotations such as `description` to an outer schema with `anyOf`, because strict mode does not allow other keywords next to `$ref`. */
  #reference(schema: Fields, reference: string, pointer: string): StrictNode {
    const target = this.#document.index.resolve(reference, located(true, this.#document))
    const [map, name, ...rest] = parsePointer(target.pointer) ?? []
    if (map !== '$defs' || name === undefined || rest.length > 0) {
      return this.#refuse(pointer, '$ref', 'The reference does not point to a definition in `$defs`.')
    }
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, undefined)
      this.#pending.push({ name, schema: target.schema })
    }
    const annotations = annotated(schema, this.#notes(schema, pointer, ['$ref', '$defs', ...ANNOTATIONS]))
    const bare = { $ref: reference }
    return {
      schema: Object.keys(annotations).length === 0 ? bare : { ...annotations, anyOf: [bare] },
      removeNulls: (value) => this.#definitions.get(name)?.removeNulls?.(value) ?? false,
    }
  }

  #withoutRequiredSets(
    { keyword, variants, base }: Union,
    pointer: string,
  ): { base: Fields; notes: string[] } | undefined {
    const sets = requiredSets(variants)
    if (sets === undefined || !Object.hasOwn(base, 'properties')) return undefined
    const message = `Strict mode cannot express that \`${keyword}\` requires one of several sets of fields; the description lists these sets.`
    this.changes.push({ pointer, keyword, kind: 'moved_to_description', message, loosens: true })
    return { base, notes: [requiredNote(sets)] }
  }

  #union(schema: Fields, { keyword, variants, base }: Union, pointer: string): StrictNode {
    const rules = Object.fromEntries(restrictingKeywords(base).map((name) => [name, base[name]]))
    const wholes = variants
      .map((variant, at) => ({ variant, path: pointer + pointerOf([keyword, at]) }))
      .filter(({ variant }) => variant !== false)
      .map(({ variant, path }) => ({ whole: this.#joined(variant, rules), path }))
    if (wholes.some(({ whole }) => whole === undefined)) {
      const message = `The keywords next to \`${keyword}\` cannot be merged into its variants.`
      return this.#refuse(pointer, keyword, message)
    }
    if (wholes.length === 0) {
      return this.#refuse(pointer, keyword, 'No variant of the union allows a value; strict mode cannot express that.')
    }
    if (keyword === 'oneOf') {
      const locations = wholes.map(({ whole, path }) => located(whole, this.#document, path))
      const loosens = !this.#document.facts.areDisjoint(locations)
      const effect = loosens ? ', which also accepts values that match several variants' : ''
      this.#report(pointer, keyword, `\`oneOf\` is written as \`anyOf\`${effect}.`, loosens)
    }
    const nodes = wholes.map(({ whole, path }) => this.#write(whole, path))
    const notes = this.#notes(without(schema, restrictingKeywords(schema)), pointer, ['$defs', ...ANNOTATIONS])
    return {
      schema: { ...annotated(schema, notes), anyOf: nodes.map((node) => node.schema) },
      removeNulls: this.#variantRemover(nodes),
    }
  }

  #joined(variant: unknown, rules: Fields): unknown {
    if (Object.keys(rules).length === 0) return variant
    const flat = isFields(variant) ? inlinedPart(variant, this.#document) : undefined
    const whole = flat && mergeSchemas(flat, rules)
    return whole && flattened(whole, this.#document)
  }

  #variantRemover(variants: readonly StrictNode[]): NullRemover | undefined {
    if (variants.every(({ removeNulls }) => removeNulls === undefined)) return undefined
    return (value) => {
      if (!isContainer(value)) return false
      this.#strict.read ??= readDocument(this.#strict.schema)
      const document = this.#strict.read
      const variant = variants.find(({ schema }) => accepts(schema, value, document))
      return variant?.removeNulls?.(value) ?? false
    }
  }

  #plain(schema: Fields, pointer: string, unionNotes: readonly string[] = []): StrictNode {
    const location = { schema, pointer }
    const literals = literalsOf(location)
    const kinds =
      literals === undefined ? this.#statedKinds(schema, pointer) : kindsOfLiterals(literals, kindsOf(location))
    if (literals?.some(isContainer)) {
      return this.#refuse(pointer, 'enum', 'Strict mode does not support objects and arrays in `enum` and `const`.')
    }
    if (literals !== undefined && kinds?.length === 0) {
      return this.#refuse(pointer, 'enum', 'No value of `enum` or `const` has the type of the schema.')
    }
    if (kinds === undefined) {
      return this.#refuse(pointer, 'type', 'The schema accepts any value; strict mode requires a type.')
    }
    if (literals === undefined && EVERY_KIND.every((kind) => kinds.includes(kind))) {
      const typical = typicalKind(schema)
      const advice = typical === undefined ? '' : `. To allow only one type, write \`type: '${typical}'\``
      const message = `The schema accepts every type, which strict mode cannot express${advice}.`
      return this.#refuse(pointer, 'type', message)
    }
    const object = kinds.includes('object') ? this.#object(schema, pointer) : undefined
    const itemNotes: string[] = []
    const array = kinds.includes('array') ? this.#array(schema, pointer, itemNotes) : undefined
    const scalars = kinds.filter((kind) => kind !== 'object' && kind !== 'array')
    const rewritten = [...REPLACED, ...kinds.flatMap((kind) => REWRITTEN[kind] ?? [])]
    const notes = this.#notes(schema, pointer, [...rewritten, ...supportedKeywords(schema, kinds)], kinds)
    const alternatives = [
      ...(object === undefined ? [] : [object.schema]),
      ...(array === undefined ? [] : [array.schema]),
      ...(scalars.length === 0 ? [] : [strictScalars(schema, scalars, literals)]),
    ]
    const [only = {}, other] = alternatives
    const annotations = annotated(schema, [...unionNotes, ...itemNotes, ...notes])
    const [ofObject, ofArray] = [object?.removeNulls, array?.removeNulls]
    const removeNulls: NullRemover | undefined =
      ofObject && ofArray ? (value) => ofObject(value) || ofArray(value) : (ofObject ?? ofArray)
    return { schema: { ...annotations, ...(other === undefined ? only : { anyOf: alternatives }) }, removeNulls }
  }

  #statedKinds(schema: Fields, pointer: string): readonly JsonKind[] | undefined {
    const stated = kindsOf({ schema, pointer })
    const typical = stated === undefined ? typicalKind(schema) : undefined
    if (typical === undefined) return stated && [...new Set(stated)]
    this.#report(pointer, 'type', `The schema has no type; \`${typical}\` is added.`)
    return [typical]
  }

  #object(schema: Fields, pointer: string): StrictNode {
    const location = { schema, pointer }
    this.#refuseFreeForm(schema, pointer)
    const required = new Set(namesKeyword(location, 'required') ?? [])
    const declared = (entriesKeyword(location, 'properties') ?? []).filter(
      ([name, field]) => field !== false || required.has(name),
    )
    const names = new Set(declared.map(([name]) => name))
    for (const name of [...required].filter((each) => !names.has(each))) {
      this.#refuse(pointer, 'required', `The required field ${JSON.stringify(name)} is not declared in \`properties\`.`)
    }
    for (const name of conditionalNames(schema).filter((each) => !names.has(each))) {
      this.#refuse(pointer, 'if', `The field ${JSON.stringify(name)} is declared only under a condition.`)
    }
    const fields = declared.map(([name, field]) => this.#field(name, field, pointer, required.has(name)))
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
        required: [...names],
        additionalProperties: false,
      },
      removeNulls: fieldsRemover(fields),
    }
  }

  #field(name: string, schema: unknown, parent: string, isRequired: boolean): StrictField {
    const pointer = `${parent}/properties/${pointerSegment(name)}`
    const written = { name, ...this.#write(schema, pointer) }
    if (isRequired) return { ...written, isNullAbsent: false }
    const isNullable = accepts(schema, null, this.#document)
    const effect = isNullable ? 'it can already be null' : 'null means that it is absent'
    this.#report(pointer, 'required', `The optional field becomes required; ${effect}.`)
    return { ...written, schema: orNull(written.schema), isNullAbsent: !isNullable }
  }

  #refuseFreeForm(schema: Fields, pointer: string): void {
    const { patternProperties, additionalProperties, unevaluatedProperties } = schema
    if (isFields(patternProperties) && Object.keys(patternProperties).length > 0) {
      const message = 'The object has `patternProperties`; strict mode requires named fields.'
      this.#refuse(pointer, 'patternProperties', message)
    }
    const rules = { additionalProperties, unevaluatedProperties }
    const [open] = Object.entries(rules).find(([, rule]) => rule !== undefined && rule !== false) ?? []
    if (open !== undefined) {
      this.#refuse(pointer, open, 'The object allows fields of any name; strict mode requires named fields.')
    } else if (!Object.hasOwn(schema, 'properties') && !Object.values(rules).includes(false)) {
      const message = 'The object declares no fields; strict mode requires named fields.'
      this.#refuse(pointer, 'properties', message)
    }
  }

  #array(schema: Fields, pointer: string, notes: string[]): StrictNode {
    const bounds = picked(schema, ARRAY_KEYWORDS)
    const first = (listKeyword({ schema, pointer }, 'prefixItems') ?? []).map((item, at) =>
      this.#write(item, `${pointer}/prefixItems/${at}`),
    )
    if (first.length > 0) return this.#tuple(schema, pointer, first, notes)
    if (!Object.hasOwn(schema, 'items')) {
      this.#refuse(pointer, 'items', 'The array has no `items`; strict mode requires them.')
      return { schema: { ...bounds, type: 'array' }, removeNulls: undefined }
    }
    const items = this.#write(schema.items, `${pointer}/items`)
    return {
      schema: { ...bounds, type: 'array', items: items.schema },
      removeNulls: itemsRemover([], items.removeNulls),
    }
  }

  /** Strict mode does not support `prefixItems`, so every item of the array can match any of the item schemas. */
  #tuple(schema: Fields, pointer: string, first: readonly StrictNode[], notes: string[]): StrictNode {
    const { items, maxItems } = schema
    const most = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY
    const isOpen = most > first.length && (items === undefined ? schema.unevaluatedItems !== false : items !== false)
    const rest = isOpen && items !== undefined ? this.#write(items, `${pointer}/items`) : undefined
    if (isOpen && rest === undefined) {
      const message = 'The array has no schema for the items after `prefixItems`; strict mode requires one.'
      this.#refuse(pointer, 'prefixItems', message)
    }
    const nodes = rest === undefined ? first : [...first, rest]
    const variants = [...new Map(nodes.map((node) => [equalityKey(node.schema), node.schema])).values()]
    const isMixed = variants.length > 1
    this.changes.push({
      pointer,
      keyword: 'prefixItems',
      kind: isMixed ? 'moved_to_description' : 'changed',
      message: isMixed
        ? 'Strict mode does not support `prefixItems`. Every item can match any of the schemas, and the description lists their order.'
        : 'All schemas in `prefixItems` are equal, so they are written as `items`.',
      loosens: isMixed,
    })
    if (isMixed) notes.push(`The items are, in order: ${first.map((item) => itemName(item.schema)).join(', ')}.`)
    // The model can put an item at a wrong position, so the schema of its position is tried first.
    const removers = nodes.map((node) => this.#variantRemover([node, ...nodes]))
    return {
      schema: {
        ...picked(schema, ARRAY_KEYWORDS),
        type: 'array',
        items: isMixed ? { anyOf: variants } : (variants[0] ?? {}),
        ...(!isOpen && { maxItems: Math.min(first.length, most) }),
      },
      removeNulls: itemsRemover(removers.slice(0, first.length), rest && removers.at(-1)),
    }
  }
}

function unionsOf(schema: Fields): readonly Union[] {
  return (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const variants = schema[keyword]
    return Array.isArray(variants) ? [{ keyword, variants, base: without(schema, [keyword]) }] : []
  })
}

function annotated({ title, ...schema }: Fields, notes: readonly string[]): Fields {
  const description = described(schema.description, notes)
  return { ...(typeof title === 'string' && { title }), ...(description !== undefined && { description }) }
}

function fieldsRemover(fields: readonly StrictField[]): NullRemover | undefined {
  const relevant = fields.filter((field) => field.isNullAbsent || field.removeNulls !== undefined)
  if (relevant.length === 0) return undefined
  return (value) => {
    if (!isFields(value)) return false
    let removed = false
    for (const { name, isNullAbsent, removeNulls } of relevant) {
      if (!Object.hasOwn(value, name)) continue
      if (value[name] === null && isNullAbsent) removed = Reflect.deleteProperty(value, name) || removed
      else removed = removeNulls?.(value[name]) || removed
    }
    return removed
  }
}

function itemsRemover(
  first: readonly (NullRemover | undefined)[],
  rest: NullRemover | undefined,
): NullRemover | undefined {
  if ([...first, rest].every((remove) => remove === undefined)) return undefined
  return (value) => {
    if (!Array.isArray(value)) return false
    const results = value.map((item, at) => (at < first.length ? first[at] : rest)?.(item) ?? false)
    return results.includes(true)
  }
}

function itemName({ title, type }: JsonSchemaObject): string {
  if (typeof title === 'string') return title
  return type === undefined ? 'value' : typeList(type).join(' or ')
}

/** Strict mode does not support the keywords that declare these fields, so the strict schema would lack the fields. */
function conditionalNames({ then, else: otherwise, dependentSchemas }: Fields): readonly string[] {
  const dependent = isFields(dependentSchemas) ? Object.values(dependentSchemas) : []
  const parts = [then, otherwise, ...dependent].filter(isFields)
  const names = parts.flatMap((part) => [...fieldNames(part), ...(namesOf(part.required) ?? [])])
  return [...new Set(names)]
}

function typicalKind(schema: Fields): JsonKind | undefined {
  return TYPICAL.find(([, names]) => names.some((name) => Object.hasOwn(schema, name)))?.[0]
}

function kindsOfLiterals(literals: readonly unknown[], stated: readonly JsonKind[] | undefined): readonly JsonKind[] {
  const isWhole = stated?.includes('integer') === true && !stated.includes('number')
  const kinds = literals.filter((value) => hasKind(value, stated)).map(kindOf)
  return [...new Set(kinds.map((kind) => (kind === 'number' && isWhole ? 'integer' : kind)))]
}

function strictScalars(
  schema: Fields,
  kinds: readonly JsonKind[],
  literals: readonly unknown[] | undefined,
): JsonSchemaObject {
  const type = kinds.length === 1 ? kinds[0] : kinds
  const supported = picked(schema, supportedKeywords(schema, kinds))
  if (literals === undefined) return { type, ...supported }
  const fitting = literals.filter((value) => hasKind(value, kinds)).map((value) => [equalityKey(value), value] as const)
  const values = [...new Map(fitting).values()]
  return { type, ...(Object.hasOwn(schema, 'const') ? { const: values[0] } : { enum: values }), ...supported }
}

function picked(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(schema, name)).map((name) => [name, schema[name]]))
}

function supportedKeywords(schema: Fields, kinds: readonly JsonKind[]): readonly string[] {
  const names = SUPPORTED.filter(([kind]) => kinds.includes(kind)).flatMap(([, keywords]) => keywords)
  return names.filter((name) => {
    const value = schema[name]
    if (name === 'format') return typeof value === 'string' && FORMATS.includes(value)
    // An escaped parenthesis can look like a look-around and is rejected too.
    return name !== 'pattern' || (typeof value === 'string' && !/\(\?<?[=!]/.test(value))
  })
}

function orNull(schema: JsonSchemaObject): JsonSchemaObject {
  if (acceptsNull(schema)) return schema
  const nothing = { type: 'null' }
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, nothing] }
  const types = typeList(schema.type)
  if (types.length === 0 || types.includes('object') || types.includes('array')) {
    return { ...picked(schema, ANNOTATIONS), anyOf: [without(schema, ANNOTATIONS), nothing] }
  }
  const { const: only, ...others } = schema
  const values = Object.hasOwn(schema, 'const') ? [only] : schema.enum
  return { ...others, type: [...types, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/**
 * Does not follow references, and may return false for a schema that accepts null. Such a schema gets a second variant for null, which does not
 * change the accepted values.
 */
function acceptsNull(schema: JsonSchemaObject): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(acceptsNull)
  return typeList(schema.type).includes('null')
}

function exceededLimits(schema: JsonSchemaObject): readonly string[] {
  const size = { fields: 0, levels: 0, characters: 0, enumValues: 0, hasLongEnum: false }
  const measure = (part: unknown, level: number): void => {
    if (!isFields(part)) return
    const hasFields = isFields(part.properties)
    const names = fieldNames(part)
    const definitions = isFields(part.$defs) ? Object.keys(part.$defs) : []
    const values: readonly unknown[] = Array.isArray(part.enum) ? part.enum : []
    const literals = Object.hasOwn(part, 'const') ? [...values, part.const] : values
    const below = hasFields ? level + 1 : level
    size.fields += names.length
    size.levels = Math.max(size.levels, below)
    size.enumValues += values.length
    size.characters += [...names, ...definitions, ...literals].map(String).join('').length
    size.hasLongEnum ||= values.length > LONG_ENUM.values && values.map(String).join('').length > LONG_ENUM.characters
    // References can be recursive, so the depth of definitions is counted separately.
    for (const [child, keyword] of subschemasOf(part)) measure(child, keyword === '$defs' ? 0 : below)
  }
  measure(schema, 0)
  const { fields, levels, characters, enumValues, hasLongEnum } = size
  const messages = [
    fields > LIMITS.fields && `The schema has ${fields} fields; the limit of strict mode is ${LIMITS.fields}.`,
    levels > LIMITS.levels && `Objects are nested ${levels} levels deep; the limit of strict mode is ${LIMITS.levels}.`,
    characters > LIMITS.characters &&
      `Names and literals have ${characters} characters; the limit of strict mode is ${LIMITS.characters}.`,
    enumValues > LIMITS.enumValues &&
      `The schema has ${enumValues} enum values; the limit of strict mode is ${LIMITS.enumValues}.`,
    hasLongEnum &&
      `The values of an enum have more than ${LONG_ENUM.characters} characters in total. Strict mode allows this only for enums with at most ${LONG_ENUM.values} values.`,
  ]
  return messages.filter((message) => message !== false)
}
