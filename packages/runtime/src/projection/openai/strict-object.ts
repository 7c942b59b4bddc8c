import { entriesKeyword, namesKeyword, namesOf } from '../../codec/evaluate/keywords.js'
import { type Fields, isFields } from '../../codec/json/kind.js'
import { pointerSegment } from '../../codec/json/pointer.js'
import type { WrittenSchema } from '../report/change.js'
import type { FieldPlan } from './null-plan.js'
import { acceptsNull, orNull } from './nullable.js'
import { type StrictSite, unsayable } from './strict-site.js'

/** The keywords that are dealt with here. */
export const objectKeywords: readonly string[] = [
  ...['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'patternProperties'],
]

/** An object schema whose every field is required, with what becomes of its fields. */
export interface StrictObject {
  readonly schema: WrittenSchema
  readonly fields: ReadonlyMap<string, FieldPlan>
}

/** Writes an object: closed, every field required, optional ones nullable. */
export function strictObject(site: StrictSite): StrictObject {
  const { pointer } = site
  refuseFreeForm(site)
  const required = new Set(namesKeyword(site, 'required') ?? [])
  const declared = (entriesKeyword(site, 'properties') ?? []).filter(
    ([name, schema]) => schema !== false || required.has(name),
  )
  const names = new Set(declared.map(([name]) => name))
  for (const name of required) {
    if (!names.has(name))
      unsayable(site, 'required', `Nothing says what the required field ${JSON.stringify(name)} holds.`)
  }
  for (const name of conditionalNames(site.schema)) {
    if (!names.has(name)) unsayable(site, 'if', `The field ${JSON.stringify(name)} is declared only under a condition.`)
  }
  const fields = new Map<string, FieldPlan>()
  const properties = declared.map(([name, schema]): readonly [string, WrittenSchema] => {
    const place = `${pointer}/properties/${pointerSegment(name)}`
    const field = strictField({ ...site, pointer: place, schema: {} }, schema, required.has(name))
    fields.set(name, field.plan)
    return [name, field.schema]
  })
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: [...names],
      additionalProperties: false,
    },
    fields,
  }
}

function strictField(
  site: StrictSite,
  schema: unknown,
  isRequired: boolean,
): { readonly schema: WrittenSchema; readonly plan: FieldPlan } {
  const { pointer, context } = site
  const written = context.write(schema, pointer)
  if (isRequired) return { schema: written.schema, plan: { removesNull: false, plan: written.plan } }
  const isNullable = acceptsNull(schema, context.document)
  context.report({
    pointer,
    keyword: 'required',
    kind: 'changed',
    message: isNullable
      ? 'The optional field is required; it may be null already.'
      : 'The optional field is required; null stands for leaving it out.',
    loosens: false,
  })
  return { schema: orNull(written.schema), plan: { removesNull: !isNullable, plan: written.plan } }
}

/** The fields that conditions speak of: left out of the strict form, a model could never send them. */
function conditionalNames({ then, else: otherwise, dependentSchemas }: Fields): ReadonlySet<string> {
  const dependent = isFields(dependentSchemas) ? Object.values(dependentSchemas) : []
  const parts = [then, otherwise, ...dependent].filter(isFields)
  return new Set(
    parts.flatMap(({ properties, required }) => [
      ...(isFields(properties) ? Object.keys(properties) : []),
      ...(namesOf(required) ?? []),
    ]),
  )
}

/** Strict mode knows only fields with names. */
function refuseFreeForm(site: StrictSite): void {
  const { schema } = site
  if (isFields(schema.patternProperties) && Object.keys(schema.patternProperties).length > 0) {
    unsayable(site, 'patternProperties', 'The object takes fields by pattern; strict mode knows only named fields.')
  }
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    if (Object.hasOwn(schema, keyword) && schema[keyword] !== false) {
      unsayable(site, keyword, 'The object takes fields of any name; strict mode knows only named fields.')
      return
    }
  }
  const isClosed = Object.hasOwn(schema, 'properties') || schema.additionalProperties === false
  if (!isClosed && schema.unevaluatedProperties !== false) {
    unsayable(site, 'properties', 'The object does not say which fields it has; strict mode knows only named fields.')
  }
}
