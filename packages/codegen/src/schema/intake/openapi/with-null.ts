import { isObject, objectFrom, own, withKey } from '../../json/json.js'
import type { Json, SchemaObject } from '../../json/json-schema.js'
import { rulesOnly } from '../../json/keywords.js'

/** A schema that also takes null. */
export interface WithNull {
  readonly schema: SchemaObject
  /** What was done; `undefined` where the schema took null already. */
  readonly change: string | undefined
}

/** Keywords that judge values of every type; those not named here and below leave null alone. */
const judging: readonly string[] = ['$ref', 'allOf', 'oneOf', 'not', 'if', 'const']

/** Lets a schema take null too, with the least change of how it reads. */
export function withNull(schema: SchemaObject): WithNull {
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
