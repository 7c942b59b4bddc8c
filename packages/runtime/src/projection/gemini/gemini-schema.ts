import { namesOf } from '../../codec/evaluate/keywords.js'
import type { SchemaDocument } from '../../codec/evaluate/prepare.js'
import { kindsOf } from '../../codec/evaluate/types.js'
import { type Fields, isFields } from '../../codec/json/kind.js'
import { without } from '../keywords/annotations.js'
import type { Report } from '../report/change.js'
import { described } from '../report/described.js'
import { removedNotes } from '../report/remove-keywords.js'
import { flattened, located } from '../schema/flatten.js'
import { isSchema, mapSubschemas } from '../schema/map-subschemas.js'
import { geminiBounds } from './gemini-bounds.js'
import { geminiLiterals } from './gemini-literals.js'
import { geminiKeywords } from './gemini-subset.js'
import { leadsToItself } from './leads-to-itself.js'

/** Writes a schema in the keywords that Gemini reads. */
export function geminiSchema(schema: Fields, pointer: string, document: SchemaDocument, report: Report): Fields {
  const flat = flattened(schema, document, new Set()) ?? withoutUnions(schema, pointer, report)
  const literal = geminiLiterals(geminiBounds(flat, pointer, report), pointer, report)
  const notes = [...literal.notes]
  let written = withoutRecursion(literal.schema, pointer, document, report)
  const keeps = (keyword: string): boolean => geminiKeywords.has(keyword)
  const kinds = kindsOf({ schema: written, pointer })
  notes.push(...removedNotes({ schema: written, pointer, keeps, kinds, vendor: 'Gemini', report }))
  written = mapSubschemas(
    without(
      written,
      Object.keys(written).filter((keyword) => !geminiKeywords.has(keyword)),
    ),
    pointer,
    (part, place) => subschema(part, place, document, report),
  )
  const description = described(written.description, notes)
  return loneReference({ ...written, ...(description !== undefined && { description }) })
}

/** Where one schema cannot say what applies together, the reference stays, and unions beside it are left out. */
function withoutUnions(schema: Fields, pointer: string, report: Report): Fields {
  if (typeof schema.$ref !== 'string') return schema
  const unions = ['anyOf', 'oneOf'].filter((keyword) => Object.hasOwn(schema, keyword))
  for (const keyword of unions) {
    const message = `Gemini takes no \`${keyword}\` beside a reference.`
    report({ pointer, keyword, kind: 'removed', message, loosens: true })
  }
  return without(schema, unions)
}

function subschema(part: unknown, pointer: string, document: SchemaDocument, report: Report): unknown {
  if (isFields(part)) return geminiSchema(part, pointer, document, report)
  if (/\/additionalProperties$/.test(pointer) || !isSchema(part)) return part
  if (part === true) return {}
  const message = 'Nothing is allowed here, which Gemini cannot be told; it is left out.'
  report({ pointer, keyword: 'not', kind: 'removed', message, loosens: true })
  return undefined
}

/** A `$ref` may have nothing beside it: it becomes the one variant of a union, or a part of every variant. */
function loneReference(schema: Fields): Fields {
  const { $ref, ...others } = schema
  const rules = Object.keys(others).filter((name) => name !== '$defs')
  if (typeof $ref !== 'string' || rules.length === 0) return schema
  return { ...others, anyOf: [{ $ref }] }
}

/** Gemini unrolls a recursion only where it may end: in fields that are not required. */
function withoutRecursion(schema: Fields, pointer: string, document: SchemaDocument, report: Report): Fields {
  const required = namesOf(schema.required)
  const { properties } = schema
  if (required === undefined || !isFields(properties)) return schema
  const recursive = required.filter((name) => {
    return Object.hasOwn(properties, name) && leadsToItself(located(properties[name], document), document)
  })
  if (recursive.length === 0) return schema
  for (const name of recursive) {
    const message = `The field ${JSON.stringify(name)} leads back to itself, which Gemini takes only where it is not required.`
    report({ pointer, keyword: 'required', kind: 'changed', message, loosens: true })
  }
  const rest = required.filter((name) => !recursive.includes(name))
  const bare = without(schema, ['required'])
  return rest.length === 0 ? bare : { ...bare, required: rest }
}
