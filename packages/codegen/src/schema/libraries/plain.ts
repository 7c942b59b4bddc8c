import { eachSubschema, mapSubschemas, parsePointer, pointerOf, SchemaIndex } from '@toolgen/runtime/schema'
import { nearest } from '../../diagnostics/near-names.js'
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
  schemaError,
  schemaNote,
  schemaWarning,
  withKey,
  without,
} from '../json-schema.js'
import { toJson } from '../json-values.js'
import { expectedValue, keywords, rulesOnly, typeNames } from '../keywords.js'
import { modernize } from '../modernize.js'
import { badAddress, isDynamic, leadsNowhere, leadsOutside } from '../reference-errors.js'
import {
  type Dialect,
  decodeFragment,
  definitionName,
  dialectOf,
  isKnownDialect,
  isPlainName,
  unusedName,
} from '../references.js'
import { jsTypeError } from '../typed-values.js'
import { repairLoose } from './repair.js'
import { proposalForType } from './type-names.js'

export function readPlainSchema(value: unknown): Converted<Schema> {
  const copied = toJson(value)
  if (!copied.ok) {
    return { diagnostics: [malformed(copied.keys, copied.message, 'A JSON Schema consists of plain JSON values.')] }
  }
  if (!isSchema(copied.json)) {
    return { diagnostics: [malformed([], 'it is neither an object nor a boolean', 'Use an object or a boolean.')] }
  }
  const dialect = dialectOf(copied.json)
  return inTurn(copied.json, [
    repairLoose,
    (schema) => localReferences(schema, dialect),
    (schema) => ({ value: modernize(schema), diagnostics: [] }),
    (schema) => writeImpliedTypes(schema, dialect),
    (schema) => readOpenApi(schema, dialect),
    checked,
  ])
}

function inTurn(schema: Schema, steps: readonly ((schema: Schema) => Converted<Schema>)[]): Converted<Schema> {
  const diagnostics: SchemaDiagnostic[] = []
  let current = schema
  for (const step of steps) {
    const next = step(current)
    diagnostics.push(...next.diagnostics)
    // Notes about the conversion are only useful if the schema is valid.
    if (next.value === undefined || hasErrors(next.diagnostics)) {
      return { diagnostics: diagnostics.filter(({ severity }) => severity !== 'note') }
    }
    current = next.value
  }
  return { value: current, diagnostics }
}

function checked(schema: Schema): Converted<Schema> {
  const diagnostics: SchemaDiagnostic[] = []
  checkSchema(schema, [], diagnostics)
  return { value: schema, diagnostics }
}

function checkSchema(schema: Schema, keys: readonly string[], diagnostics: SchemaDiagnostic[]): void {
  if (typeof schema === 'boolean') return
  for (const [keyword, value] of Object.entries(schema)) checkKeyword(keyword, value, keys, diagnostics)
  const typed = jsTypeError(schema, keys)
  if (typed !== undefined) diagnostics.push(typed)
  eachSubschema(schema, (subschema, inner) => checkSchema(subschema, [...keys, ...inner], diagnostics))
}

function checkKeyword(keyword: string, value: Json, around: readonly string[], diagnostics: SchemaDiagnostic[]): void {
  const keys = (): readonly string[] => [...around, keyword]
  if (!keywords.has(keyword)) {
    // Unsupported keywords of old drafts are reported when references are resolved.
    if (!keyword.startsWith('$') && !keyword.startsWith('x-')) diagnostics.push(unknownKeyword(keyword, keys()))
    return
  }
  const expected = expectedValue(keyword, value)
  if (expected !== undefined) {
    diagnostics.push(wrongValue(keyword, value, expected, keys()))
  } else if (keyword === '$schema' && !isKnownDialect(value)) {
    diagnostics.push(
      schemaError(
        'TG3012',
        `The dialect \`${String(value)}\` of the schema is not supported.`,
        'Write the schema in JSON Schema 2020-12 and remove `$schema`.',
        keys(),
      ),
    )
  }
}

function wrongValue(keyword: string, value: Json, expected: string, keys: readonly string[]): SchemaDiagnostic {
  const diagnostic = malformed(keys, `\`${keyword}\` must be ${expected}`, 'Correct the keyword.')
  if (keyword !== 'type' || typeof value !== 'string') return diagnostic
  const proposal = proposalForType(value)
  if (proposal !== undefined) return { ...diagnostic, next: `Write \`${proposal}\`.` }
  const near = nearest(value, typeNames)
  return near.length === 0 ? diagnostic : { ...diagnostic, near, next: `Did you mean \`${near[0]}\`?` }
}

function malformed(keys: readonly (string | number)[], what: string, next: string): SchemaDiagnostic {
  return schemaError('TG3010', `Invalid JSON Schema ${atPointer(pointerOf(keys))}: ${what}.`, next, keys)
}

function unknownKeyword(keyword: string, keys: readonly string[]): SchemaDiagnostic {
  const near = nearest(keyword, keywords.keys())
  const at = atPointer(pointerOf(keys.slice(0, -1)))
  const message = `\`${keyword}\` ${at} is not a keyword of JSON Schema and has no effect.`
  const proposal =
    near[0] === undefined ? 'Remove the keyword, or begin its name with `x-`.' : `Did you mean \`${near[0]}\`?`
  const next = keyword === 'nullable' ? "Write `type: ['string', 'null']` instead." : proposal
  return { ...schemaWarning('TG3015', message, next, keys), ...(near.length === 0 ? {} : { near }) }
}

export function isPlainSchema(value: unknown): value is boolean | SchemaObject {
  if (typeof value === 'boolean') return true
  return isObject(value) && !('_zod' in value) && !('_def' in value) && !('~standard' in value)
}

/** A schema with one of these keywords needs no additional `type`. */
const telling: readonly string[] = ['type', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf', 'not']
/** The subschemas of these keywords describe the value itself, and not a field or item as in `properties` and `items`. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas']
/** The subschemas of these keywords are only conditions and do not describe the value itself. */
const asking: readonly string[] = ['if', 'not']

/**
 * By the rules of JSON Schema, a schema that only describes fields or items also accepts values of other types, but authors rarely intend this. If
 * the document has `$schema`, `type` lists all types, so that the meaning does not change.
 */
export function writeImpliedTypes(schema: Schema, { declared }: Pick<Dialect, 'declared'>): Converted<Schema> {
  const diagnostics: SchemaDiagnostic[] = []
  const write = (part: Schema, keys: readonly string[], typed: boolean): Schema => {
    if (typeof part === 'boolean') return part
    const type = typed ? undefined : impliedType(part)
    // A separate error reports a payload whose root is not an object.
    if (type !== undefined && (!declared || keys.length > 0)) diagnostics.push(impliedNote(type, declared, keys))
    const isTyped = typed || type !== undefined || Object.hasOwn(part, 'type')
    const inside = mapSubschemas(part, (subschema, inner) => {
      const [keyword = ''] = inner
      if (asking.includes(keyword)) return subschema
      return write(subschema, [...keys, ...inner], inPlace.includes(keyword) && isTyped)
    })
    if (type === undefined) return inside
    return declared ? { type: typeNames.filter((name) => name !== 'integer'), ...inside } : { type, ...inside }
  }
  return { value: write(schema, [], false), diagnostics }
}

function impliedType(schema: SchemaObject): 'object' | 'array' | undefined {
  if (telling.some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  if (own(schema, 'properties') !== undefined) return 'object'
  return ['prefixItems', 'items'].some((keyword) => Object.hasOwn(schema, keyword)) ? 'array' : undefined
}

function impliedNote(type: 'object' | 'array', isOpen: boolean, keys: readonly string[]): SchemaDiagnostic {
  const keyword = type === 'object' ? '`properties`' : '`items` or `prefixItems`'
  const consequence = isOpen
    ? "because `$schema` is set, it also accepts values of other types, so OpenAI's strict mode is not available."
    : `it is read as \`type: '${type}'\`.`
  const message = `The schema ${atPointer(pointerOf(keys))} has ${keyword} but no \`type\`; ${consequence}`
  return schemaNote('TG3036', message, `Write \`type: '${type}'\`.`, keys)
}

const forOtherTools: readonly string[] = ['discriminator', 'xml', 'externalDocs']

/**
 * Removes `discriminator`, `xml` and `externalDocs`, because these keywords do not restrict values. Converts `nullable` only if the document has no
 * `$schema`.
 */
export function readOpenApi(schema: Schema, { declared }: Pick<Dialect, 'declared'>): Converted<Schema> {
  const diagnostics: SchemaDiagnostic[] = []
  const read = (part: Schema, keys: readonly string[]): Schema => {
    if (typeof part === 'boolean') return part
    const inside = mapSubschemas(part, (subschema, inner) => read(subschema, [...keys, ...inner]))
    const plain = withExamples(withoutForeign(inside))
    const nullable = own(plain, 'nullable')
    if (declared || typeof nullable !== 'boolean') return plain
    const bare = without(plain, ['nullable'])
    const { schema: wider, change } = nullable ? withNull(bare) : { schema: bare, change: undefined }
    if (change !== undefined) diagnostics.push(readNullable(change, keys))
    return wider
  }
  return { value: read(schema, []), diagnostics }
}

function withoutForeign(schema: SchemaObject): SchemaObject {
  const foreign = forOtherTools.filter((keyword) => isObject(own(schema, keyword)))
  return foreign.length === 0 ? schema : without(schema, foreign)
}

function withExamples(schema: SchemaObject): SchemaObject {
  const example = own(schema, 'example')
  if (example === undefined) return schema
  const bare = without(schema, ['example'])
  const examples: readonly Json[] = [example]
  return Object.hasOwn(bare, 'examples') ? bare : withKey(bare, 'examples', examples)
}

function readNullable(change: string, keys: readonly string[]): SchemaDiagnostic {
  return schemaNote(
    'TG3035',
    `\`nullable\` ${atPointer(pointerOf(keys))} is converted as in OpenAPI 3.0: ${change}.`,
    "In JSON Schema write `type: ['string', 'null']`, or `anyOf` with `{ type: 'null' }`.",
    [...keys, 'nullable'],
  )
}

interface WithNull {
  readonly schema: SchemaObject
  readonly change: string | undefined
}

/** These keywords can reject null, in addition to `type`, `enum` and `anyOf`. All other keywords accept null. */
const judging: readonly string[] = ['$ref', 'allOf', 'oneOf', 'not', 'if', 'const']

function withNull(schema: SchemaObject): WithNull {
  const variants = own(schema, 'anyOf')
  const isTyped = Object.hasOwn(schema, 'type') || Object.hasOwn(schema, 'enum')
  const needsWrapping = judging.some((keyword) => Object.hasOwn(schema, keyword))
  if (needsWrapping || (variants !== undefined && isTyped)) return wrapped(schema)
  if (Array.isArray(variants)) return oneVariantMore(schema, variants)
  const widened = ['type', 'enum'].filter((keyword) => lacksNull(keyword, own(schema, keyword)))
  const wider = widened.reduce((current, keyword) => withKey(current, keyword, listWithNull(keyword, schema)), schema)
  const named = widened.map((keyword) => `\`${keyword}\``).join(' and ')
  return { schema: wider, change: widened.length === 0 ? undefined : `null was added to ${named}` }
}

function lacksNull(keyword: string, value: Json | undefined): boolean {
  if (Array.isArray(value)) return !value.includes(keyword === 'type' ? 'null' : null)
  return keyword === 'type' && typeof value === 'string' && value !== 'null'
}

function listWithNull(keyword: string, schema: SchemaObject): readonly Json[] {
  const value = own(schema, keyword) ?? []
  return [...(Array.isArray(value) ? value : [value]), keyword === 'type' ? 'null' : null]
}

function oneVariantMore(schema: SchemaObject, variants: readonly Json[]): WithNull {
  const isNull = (variant: Json): boolean => isObject(variant) && own(variant, 'type') === 'null'
  if (variants.some(isNull)) return { schema, change: undefined }
  return { schema: withKey(schema, 'anyOf', [...variants, { type: 'null' }]), change: 'null was added to `anyOf`' }
}

function wrapped(schema: SchemaObject): WithNull {
  const rules = rulesOnly(schema)
  const isRule = (keyword: string): boolean => isObject(rules) && Object.hasOwn(rules, keyword) && keyword !== '$defs'
  const entries = Object.entries(schema)
  const inner = objectFrom(entries.filter(([keyword]) => isRule(keyword)))
  const outer = entries.filter(([keyword]) => !isRule(keyword))
  return {
    schema: objectFrom<Json>([['anyOf', [inner, { type: 'null' }]], ...outer]),
    change: 'it was moved into an `anyOf` with null',
  }
}

/**
 * Converts every `$ref` to a JSON Pointer within the document, and moves referenced schemas outside of JSON Schema keywords, such as
 * `#/components/schemas/Pet`, to `$defs`.
 */
export function localReferences(document: Schema, dialect: Dialect): Converted<Schema> {
  if (typeof document === 'boolean') return { value: document, diagnostics: [] }
  const diagnostics: SchemaDiagnostic[] = []
  const value = new LocalReferences(document, dialect, diagnostics).document()
  return hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics }
}

const noBase = 'schema://document/'
const dynamicKeywords: readonly string[] = ['$dynamicRef', '$recursiveRef']
/** Unnecessary after references are resolved, but only if the value of the keyword has this type. */
const resolvedKeywords: readonly (readonly [string, string])[] = [
  ['$id', 'string'],
  ['$anchor', 'string'],
  ['$dynamicAnchor', 'string'],
  ['$vocabulary', 'object'],
]
/** Drafts 04 to 07 ignore other keywords next to `$ref`, so the conversion removes all other keywords except annotations. */
const besideRef: readonly string[] = ['$ref', '$schema', '$comment', '$defs', 'definitions']

type Located = SchemaIndex['root']

class LocalReferences {
  readonly #dialect: Dialect
  readonly #diagnostics: SchemaDiagnostic[]
  readonly #document: SchemaObject
  readonly #index: SchemaIndex
  readonly #byPointer = new Map<string, Located>()
  /** Referenced schemas outside of JSON Schema keywords, by JSON Pointer. `name` is the new name in `$defs`. */
  readonly #moved = new Map<string, { readonly name: string; readonly schema: Schema }>()
  readonly #names: readonly string[]

  constructor(document: SchemaObject, dialect: Dialect, diagnostics: SchemaDiagnostic[]) {
    this.#dialect = dialect
    this.#diagnostics = diagnostics
    this.#document = this.#modernObject(document, '', noBase)
    this.#index = new SchemaIndex(this.#document)
    this.#register()
    this.#names = ['$defs', 'definitions'].flatMap((keyword) => entriesOf(document, keyword).map(([name]) => name))
  }

  document(): SchemaObject {
    const root = this.#rewriteObject(this.#document, '')
    const moved: (readonly [string, Schema])[] = []
    // Rewriting a moved schema can add further schemas to this map while the loop runs.
    for (const [pointer, { name, schema }] of this.#moved) moved.push([name, this.#rewrite(schema, pointer)])
    if (moved.length === 0) return root
    const emptied = [...this.#moved.keys()].map((pointer) => parsePointer(pointer)?.[0] ?? '')
    const remaining = without(
      root,
      emptied.filter((keyword) => !keywords.has(keyword)),
    )
    return { ...remaining, $defs: objectFrom([...entriesOf(remaining, '$defs'), ...moved]) }
  }

  #modern(schema: Schema, pointer: string, outer: string): Schema {
    return typeof schema === 'boolean' ? schema : this.#modernObject(schema, pointer, outer)
  }

  #modernObject(schema: SchemaObject, pointer: string, outer: string): SchemaObject {
    const { address, loneRef } = this.#dialect
    let modern = this.#withoutDeadSiblings(schema, pointer)
    let base = outer
    const id = own(modern, address)
    if (typeof id === 'string') {
      modern = without(modern, [address])
      if (loneRef && id.startsWith('#')) modern = withKey(modern, '$anchor', id.slice(1))
      else if (!URL.canParse(id, outer)) this.#diagnostics.push(badAddress(id, address, parsePointer(pointer) ?? []))
      else {
        base = new URL(id, outer).href.split('#', 1).join('')
        modern = withKey(modern, '$id', base)
      }
    }
    const isRecursive = own(modern, '$recursiveAnchor')
    if (typeof isRecursive === 'boolean') modern = without(modern, ['$recursiveAnchor'])
    if (isRecursive === true) modern = withKey(modern, '$dynamicAnchor', '')
    return mapSubschemas(modern, (part, inner) => this.#modern(part, pointer + pointerOf(inner), base))
  }

  #withoutDeadSiblings(schema: SchemaObject, pointer: string): SchemaObject {
    if (!this.#dialect.loneRef || typeof own(schema, '$ref') !== 'string') return schema
    const rules = rulesOnly(schema)
    const dead = Object.keys(rules).filter((keyword) => !besideRef.includes(keyword))
    const restricting = dead.filter((keyword) => keywords.has(keyword) && keyword !== '$id' && keyword !== '$anchor')
    if (restricting.length > 0) this.#diagnostics.push(noEffectBesideRef(restricting, parsePointer(pointer) ?? []))
    return without(schema, dead)
  }

  #register(): void {
    for (const located of this.#index.schemas.slice(this.#byPointer.size)) this.#byPointer.set(located.pointer, located)
  }

  #rewrite(schema: Schema, pointer: string): Schema {
    return typeof schema === 'boolean' ? schema : this.#rewriteObject(schema, pointer)
  }

  #rewriteObject(schema: SchemaObject, pointer: string): SchemaObject {
    const inside = mapSubschemas(schema, (part, inner) => this.#rewrite(part, pointer + pointerOf(inner)))
    const [first, ...others] = ['$ref', ...dynamicKeywords].flatMap((keyword) => {
      const ref = own(inside, keyword)
      return typeof ref === 'string' ? [this.#localRef(keyword, ref, pointer)] : []
    })
    const gone = resolvedKeywords.filter(([keyword, type]) => typeof own(inside, keyword) === type)
    const bare = without(inside, [...gone.map(([keyword]) => keyword), ...dynamicKeywords])
    if (first === undefined) return bare
    const single = withKey(bare, '$ref', first)
    if (others.length === 0) return single
    const parts = own(single, 'allOf')
    return { ...single, allOf: [...(Array.isArray(parts) ? parts : []), ...others.map((ref): Json => ({ $ref: ref }))] }
  }

  #localRef(keyword: string, ref: string, pointer: string): string {
    const found = this.#index.find(ref, this.#byPointer.get(pointer) ?? this.#index.root)
    const target = found === 'outside' || !isSchema(found?.schema) ? undefined : found
    const only = keyword === '$ref' ? target : target && this.#outermost(keyword, ref, target)
    if (only !== undefined) return `#${this.#pointerTo(only).replaceAll('%', '%25')}`
    const keys = parsePointer(pointer) ?? []
    if (keyword !== '$ref') this.#diagnostics.push(isDynamic(keyword, keys))
    else this.#diagnostics.push(found === 'outside' ? leadsOutside(ref, keys) : leadsNowhere(ref, keys, this.#names))
    return ref
  }

  /**
   * A dynamic reference resolves to the dynamic anchor in the root of the document, or else to the only anchor with this name. Returns `undefined` if
   * the target depends on the schemas that lead to the reference.
   */
  #outermost(keyword: string, ref: string, found: Located): Located | undefined {
    const name = keyword === '$recursiveRef' ? '' : decodeFragment(ref)
    if (name === undefined || this.#index.dynamicAnchorOf(found) !== name) return found
    const anchors = this.#index.dynamicAnchors(name)
    const outermost = anchors.find(({ base }) => base === this.#index.root.base)
    return outermost ?? (anchors.length === 1 ? anchors[0] : undefined)
  }

  #pointerTo({ schema, pointer, base }: Located): string {
    const outer = [...this.#moved].filter(([moved]) => pointer === moved || pointer.startsWith(`${moved}/`)).at(-1)
    if (this.#byPointer.has(pointer)) {
      return outer === undefined ? pointer : `/$defs${pointerOf([outer[1].name])}${pointer.slice(outer[0].length)}`
    }
    const taken = [...this.#names, ...[...this.#moved.values()].map(({ name }) => name)]
    const wanted = parsePointer(pointer)?.at(-1) ?? ''
    const name = unusedName(
      isPlainName(wanted) ? wanted : definitionName(wanted) || 'Part',
      (candidate) => !taken.includes(candidate),
    )
    const modern = this.#modern(isSchema(schema) ? schema : true, pointer, base)
    this.#index.add({ schema: modern, pointer, base })
    this.#register()
    this.#moved.set(pointer, { name, schema: modern })
    return `/$defs${pointerOf([name])}`
  }
}

function noEffectBesideRef(dead: readonly string[], keys: readonly string[]): SchemaDiagnostic {
  const named = dead.map((keyword) => `\`${keyword}\``).join(', ')
  return schemaWarning(
    'TG3015',
    `Next to \`$ref\` ${atPointer(pointerOf(keys))}, ${named} has no effect in the draft of \`$schema\`.`,
    'Move the reference into `allOf`, or set `$schema` to draft 2020-12.',
    [...keys, dead[0] ?? '$ref'],
  )
}
