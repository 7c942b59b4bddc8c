import type { SchemaDocument } from '../../codec/evaluate/prepare.js'
import { Run } from '../../codec/evaluate/run.js'
import { without } from '../keywords/annotations.js'
import type { WrittenSchema } from '../report/change.js'
import { located } from '../schema/flatten.js'
import { typeList } from '../schema/merge-schemas.js'

const nullSchema: WrittenSchema = { type: 'null' }
const annotations: readonly string[] = ['title', 'description']

/** Whether a schema of a document accepts null. */
export function acceptsNull(schema: unknown, document: SchemaDocument): boolean {
  const run = new Run({ faulty: false, rejectsUnknown: false })
  run.quiet = true
  return document.node(located(schema, document)).check(null, run, undefined)
}

/** A strict schema that also takes null. */
export function orNull(schema: WrittenSchema): WrittenSchema {
  if (takesNull(schema)) return schema
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, nullSchema] }
  const types = typeList(schema.type)
  const isContainer = types.length === 0 || types.includes('object') || types.includes('array')
  if (!isContainer) {
    const { const: only, ...others } = schema
    const values = Object.hasOwn(schema, 'const') ? [only] : schema.enum
    return { ...others, type: [...types, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
  }
  const said = Object.entries(schema).filter(([name]) => annotations.includes(name))
  return { ...Object.fromEntries(said), anyOf: [without(schema, annotations), nullSchema] }
}

/** What a reference leads to is not looked at: null is then offered twice, which does no harm. */
function takesNull(schema: WrittenSchema): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(takesNull)
  return typeList(schema.type).includes('null')
}
