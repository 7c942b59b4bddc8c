import { eachSubschema, mapSubschemas, pointerOf } from '@toolgen/runtime/schema'
import { nearest } from '../../diagnostics/near-names.js'
import { jsTypeFault } from '../js-type.js'
import {
  atPointer,
  type Converted,
  hasErrors,
  isObject,
  isSchema,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaFault,
  type SchemaObject,
  withKey,
  without,
} from '../json-schema.js'
import { toJson } from '../json-values.js'
import { expectedValue, keywords, rulesOnly, typeNames } from '../keywords.js'
import { localReferences } from '../local-references.js'
import { modernise } from '../modernize.js'
import { type Dialect, dialectOf, isKnownDialect } from '../references.js'
import { repairLoose } from './repair.js'
import { proposalForType } from './type-names.js'

/**
 * Reads a JSON Schema that the design gives as a plain value: repairs the loose dialects of function calling, makes its
 * references local, brings older drafts and OpenAPI up to 2020-12, and checks it.
 */
export function readPlainSchema(value: unknown): Converted<Schema> {
  const copied = toJson(value)
  if (!copied.ok) {
    return { faults: [malformed(copied.keys, copied.message, 'A JSON Schema consists of plain JSON values.')] }
  }
  if (!isSchema(copied.json)) {
    return { faults: [malformed([], 'it is neither an object nor a boolean', 'Give an object or a schema.')] }
  }
  const dialect = dialectOf(copied.json)
  return inTurn(copied.json, [
    repairLoose,
    (schema) => localReferences(schema, dialect),
    (schema) => ({ value: modernise(schema), faults: [] }),
    (schema) => writeImpliedTypes(schema, dialect),
    (schema) => readOpenApi(schema, dialect),
    checked,
  ])
}

/** Takes a schema through steps, until one of them finds an error. */
function inTurn(schema: Schema, steps: readonly ((schema: Schema) => Converted<Schema>)[]): Converted<Schema> {
  const faults: SchemaFault[] = []
  let current = schema
  for (const step of steps) {
    const next = step(current)
    faults.push(...next.faults)
    // What was understood on the way matters once the schema is right.
    if (next.value === undefined || hasErrors(next.faults)) {
      return { faults: faults.filter(({ severity }) => severity !== 'note') }
    }
    current = next.value
  }
  return { value: current, faults }
}

function checked(schema: Schema): Converted<Schema> {
  const faults: SchemaFault[] = []
  checkSchema(schema, [], faults)
  return { value: schema, faults }
}

function checkSchema(schema: Schema, keys: readonly string[], faults: SchemaFault[]): void {
  if (typeof schema === 'boolean') return
  for (const [keyword, value] of Object.entries(schema)) checkKeyword(keyword, value, keys, faults)
  const typed = jsTypeFault(schema, keys)
  if (typed !== undefined) faults.push(typed)
  eachSubschema(schema, (subschema, inner) => checkSchema(subschema, [...keys, ...inner], faults))
}

function checkKeyword(keyword: string, value: Json, around: readonly string[], faults: SchemaFault[]): void {
  const keys = (): readonly string[] => [...around, keyword]
  if (!keywords.has(keyword)) {
    // Keywords of the draft that are understood nowhere here are reported where references are resolved.
    if (!keyword.startsWith('$') && !keyword.startsWith('x-')) faults.push(unknownKeyword(keyword, keys()))
    return
  }
  const expected = expectedValue(keyword, value)
  if (expected !== undefined) {
    faults.push(wrongValue(keyword, value, expected, keys()))
  } else if (keyword === '$schema' && !isKnownDialect(value)) {
    faults.push({
      code: 'TG3012',
      severity: 'error',
      message: `The schema follows the dialect \`${String(value)}\`, which is not known.`,
      next: 'Write the schema in JSON Schema 2020-12 and leave out `$schema`.',
      trail: keys(),
    })
  }
}

function wrongValue(keyword: string, value: Json, expected: string, keys: readonly string[]): SchemaFault {
  const fault = malformed(keys, `\`${keyword}\` must be ${expected}`, 'Correct the keyword.')
  if (keyword !== 'type' || typeof value !== 'string') return fault
  const proposal = proposalForType(value)
  if (proposal !== undefined) return { ...fault, next: `Write \`${proposal}\`.` }
  const near = nearest(value, typeNames)
  return near.length === 0 ? fault : { ...fault, near, next: `Did you mean \`${near[0]}\`?` }
}

function malformed(keys: readonly (string | number)[], what: string, next: string): SchemaFault {
  return {
    code: 'TG3010',
    severity: 'error',
    message: `The schema is no valid JSON Schema ${atPointer(pointerOf(keys))}: ${what}.`,
    next,
    trail: keys,
  }
}

function unknownKeyword(keyword: string, keys: readonly string[]): SchemaFault {
  const near = nearest(keyword, keywords.keys())
  const nullable = keyword === 'nullable' ? "Write `type: ['string', 'null']` instead." : undefined
  return {
    code: 'TG3015',
    severity: 'warning',
    message: `\`${keyword}\` ${atPointer(pointerOf(keys.slice(0, -1)))} is no keyword of JSON Schema; it has no effect.`,
    next:
      nullable ?? (near[0] === undefined ? 'Remove it, or begin its name with `x-`.' : `Did you mean \`${near[0]}\`?`),
    ...(near.length === 0 ? {} : { near }),
    trail: keys,
  }
}

/** Whether a value is a JSON Schema rather than the schema of a library. */
export function isPlainSchema(value: unknown): value is boolean | SchemaObject {
  if (typeof value === 'boolean') return true
  return isObject(value) && !('_zod' in value) && !('_def' in value) && !('~standard' in value)
}

/** Keywords that say something about the type themselves. */
const telling: readonly string[] = ['type', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf', 'not']
/** Keywords whose schemas judge the same value as the schema around them. */
const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas']
/** Keywords whose schemas ask about the value without describing it. */
const asking: readonly string[] = ['if', 'not']

/**
 * Writes out the type of schemas that only say what their fields or items are. By the letter of JSON Schema they allow
 * anything that is no object, too; hardly an author means that. So where `$schema` names a dialect the letter counts,
 * with all types written out; elsewhere it is an object or an array, and that is reported.
 *
 * @param schema in the forms of 2020-12
 */
export function writeImpliedTypes(schema: Schema, { declared }: Pick<Dialect, 'declared'>): Converted<Schema> {
  const faults: SchemaFault[] = []
  const write = (part: Schema, keys: readonly string[], typed: boolean): Schema => {
    if (typeof part === 'boolean') return part
    const type = typed ? undefined : impliedType(part)
    if (type !== undefined && !declared) faults.push(implied(type, keys))
    // Of a whole payload that is no object more is said elsewhere.
    else if (type !== undefined && keys.length > 0) faults.push(open(type, keys))
    const isTyped = typed || type !== undefined || Object.hasOwn(part, 'type')
    const inside = mapSubschemas(part, (subschema, inner) => {
      const [keyword = ''] = inner
      if (asking.includes(keyword)) return subschema
      return write(subschema, [...keys, ...inner], inPlace.includes(keyword) && isTyped)
    })
    if (type === undefined) return inside
    return declared ? { type: typeNames.filter((name) => name !== 'integer'), ...inside } : { type, ...inside }
  }
  return { value: write(schema, [], false), faults }
}

function impliedType(schema: SchemaObject): 'object' | 'array' | undefined {
  if (telling.some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  if (own(schema, 'properties') !== undefined) return 'object'
  return ['prefixItems', 'items'].some((keyword) => Object.hasOwn(schema, keyword)) ? 'array' : undefined
}

function open(type: 'object' | 'array', keys: readonly string[]): SchemaFault {
  const what = type === 'object' ? 'lists fields' : 'describes items'
  return {
    code: 'TG3036',
    severity: 'note',
    message:
      `The schema ${atPointer(pointerOf(keys))} ${what} without a \`type\`; in the dialect that \`$schema\` names it ` +
      "takes any other value too, so its type is open and OpenAI's strict mode is not available.",
    next: `Write \`type: '${type}'\`.`,
    trail: keys,
  }
}

function implied(type: 'object' | 'array', keys: readonly string[]): SchemaFault {
  const what = type === 'object' ? 'lists fields' : 'describes items'
  return {
    code: 'TG3036',
    severity: 'note',
    message: `The schema ${atPointer(pointerOf(keys))} ${what} without a \`type\`; it is read as \`type: '${type}'\`.`,
    next: `Write \`type: '${type}'\`.`,
    trail: keys,
  }
}

/** What OpenAPI says of a schema to other tools: it restricts nothing. */
const forOtherTools: readonly string[] = ['discriminator', 'xml', 'externalDocs']

/**
 * Reads what OpenAPI 3.0 and 3.1 add to JSON Schema: `nullable` (of 3.0, so not where `$schema` names a dialect),
 * `example`, and `discriminator`, `xml` and `externalDocs`, which restrict nothing and go.
 *
 * @param schema in the forms of 2020-12
 */
export function readOpenApi(schema: Schema, { declared }: Pick<Dialect, 'declared'>): Converted<Schema> {
  const faults: SchemaFault[] = []
  const read = (part: Schema, keys: readonly string[]): Schema => {
    if (typeof part === 'boolean') return part
    const inside = mapSubschemas(part, (subschema, inner) => read(subschema, [...keys, ...inner]))
    const plain = withExamples(withoutForeign(inside))
    const nullable = own(plain, 'nullable')
    if (declared || typeof nullable !== 'boolean') return plain
    const bare = without(plain, ['nullable'])
    const { schema: wider, change } = nullable ? withNull(bare) : { schema: bare, change: undefined }
    if (change !== undefined) faults.push(readNullable(change, keys))
    return wider
  }
  return { value: read(schema, []), faults }
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

function readNullable(change: string, keys: readonly string[]): SchemaFault {
  return {
    code: 'TG3035',
    severity: 'note',
    message: `\`nullable\` ${atPointer(pointerOf(keys))} is read as OpenAPI 3.0 means it: ${change}.`,
    next: "In JSON Schema write `type: ['string', 'null']`, or `anyOf` with `{ type: 'null' }`.",
    trail: [...keys, 'nullable'],
  }
}

/** A schema that also takes null. */
interface WithNull {
  readonly schema: SchemaObject
  /** What was done; `undefined` where the schema took null already. */
  readonly change: string | undefined
}

/** Keywords that judge values of every type; those not named here and below leave null alone. */
const judging: readonly string[] = ['$ref', 'allOf', 'oneOf', 'not', 'if', 'const']

/** Lets a schema take null too, with the least change of how it reads. */
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

/** What judges the value goes inside, together; what describes it stays outside. */
function wrapped(schema: SchemaObject): WithNull {
  const rules = rulesOnly(schema)
  const isRule = (keyword: string): boolean => isObject(rules) && Object.hasOwn(rules, keyword) && keyword !== '$defs'
  const entries = Object.entries(schema)
  const inner = objectFrom(entries.filter(([keyword]) => isRule(keyword)))
  const outer = entries.filter(([keyword]) => !isRule(keyword))
  return {
    schema: objectFrom<Json>([['anyOf', [inner, { type: 'null' }]], ...outer]),
    change: 'it was put into an `anyOf` with null',
  }
}
