import { type Fields, isFields, kindOf } from '../schema/json-values.js'
import { isSchema, kindsOf, namesOf, subschemasOf } from '../schema/keywords.js'
import { readDocument, type SchemaDocument } from '../schema/prepare.js'
import type { Located } from '../schema/references.js'
import type { JsonSchemaObject } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import { objectRoot } from './object-root.js'
import {
  constraintNote,
  described,
  type Projection,
  type ProjectionChange,
  type Report,
  removedNotes,
  without,
} from './report.js'
import { flattened, located, mapSubschemas } from './schemas.js'

/** Writes exclusive bounds of whole numbers as inclusive ones, which Gemini reads. */
function geminiBounds(schema: Fields, pointer: string, report: Report): Fields {
  if (schema.type !== 'integer') return schema
  let written = schema
  const bounds = [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const
  for (const [exclusive, inclusive, step] of bounds) {
    const bound = schema[exclusive]
    if (typeof bound !== 'number' || !Number.isSafeInteger(bound)) continue
    const known = schema[inclusive]
    const nearest = bound + step
    const value = typeof known !== 'number' ? nearest : step > 0 ? Math.max(known, nearest) : Math.min(known, nearest)
    written = { ...without(written, [exclusive]), [inclusive]: value }
    const message = `\`${exclusive}\` is written as \`${inclusive}\`, which for whole numbers says the same.`
    report({ pointer, keyword: exclusive, kind: 'changed', message, loosens: false })
  }
  return written
}

/** A schema whose literals are said as Gemini reads them, and what its description should say of them. */
interface GeminiLiterals {
  readonly schema: Fields
  readonly notes: readonly string[]
}

/** Writes `const` and `enum` as an `enum` of texts and numbers; null becomes a variant of its own. */
function geminiLiterals(schema: Fields, pointer: string, report: Report): GeminiLiterals {
  const keyword = ['const', 'enum'].find((name) => Object.hasOwn(schema, name))
  if (keyword === undefined) return { schema, notes: [] }
  const given = schema[keyword]
  const values: readonly unknown[] = keyword === 'enum' && Array.isArray(given) ? given : [given]
  const listed: readonly unknown[] = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  const kinds = [...new Set(values.map(kindOf))]
  const bare = without(schema, ['const', 'enum'])
  const isSaid = values.every((value) => value === null || listed.includes(value))
  if (!isSaid || Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
    const note = constraintNote(keyword, given)
    const message = `Gemini reads only texts and numbers in \`enum\`${note === undefined ? '' : '; the description says it'}.`
    report({ pointer, keyword, kind: note === undefined ? 'removed' : 'moved_to_description', message, loosens: true })
    const type = schema.type ?? (kinds.length === 1 ? kinds[0] : kinds)
    return { schema: { ...bare, type }, notes: note === undefined ? [] : [note] }
  }
  if (keyword === 'enum' && listed.length === values.length) return { schema, notes: [] }
  const message = 'The literals are written as an `enum` of texts and numbers, and null beside it.'
  report({ pointer, keyword, kind: 'changed', message, loosens: false })
  const texts = [...new Set(listed.map(kindOf))].map((kind) => ({
    type: kind,
    enum: listed.filter((value) => kindOf(value) === kind),
  }))
  const variants = [...texts, ...(listed.length < values.length ? [{ type: 'null' }] : [])]
  const [only, ...others] = variants
  const rest = without(bare, ['type'])
  return { schema: others.length === 0 ? { ...rest, ...only } : { ...rest, anyOf: variants }, notes: [] }
}

/** Writes a schema in the keywords that Gemini reads. */
function geminiSchema(schema: Fields, pointer: string, document: SchemaDocument, report: Report): Fields {
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

/**
 * What Gemini reads of `parametersJsonSchema`, as its API reference says in autumn 2026: the keywords below; `enum` of
 * texts and numbers; `oneOf` as `anyOf`; a `$ref` alone; recursion only within fields that are not required. Function
 * names begin with a letter or `_`.
 */
const geminiKeywords: ReadonlySet<string> = new Set([
  ...['$defs', '$ref', 'type', 'format', 'title', 'description', 'enum', 'anyOf', 'oneOf'],
  ...['properties', 'additionalProperties', 'required', 'items', 'prefixItems', 'minItems', 'maxItems'],
  ...['minimum', 'maximum'],
])

/** A function declaration of the Gemini API. */
export interface GeminiTool {
  readonly name: string
  readonly description: string
  readonly parametersJsonSchema: JsonSchemaObject
}

/**
 * A function declaration for Gemini, with its arguments in the part of JSON Schema that Gemini reads. What it does not
 * read stands in the descriptions. A name that it refuses is reported as a `fallback`.
 *
 * @throws {SchemaError} when the schema of the arguments is faulty.
 * @example
 * const { tool } = geminiTool(getOrderSpec)
 * const config = { tools: [{ functionDeclarations: [tool] }] }
 */
export function geminiTool(spec: ToolSpec): Projection<GeminiTool> {
  const changes: ProjectionChange[] = []
  const report: Report = (change) => changes.push(change)
  if (!/^[a-zA-Z_]/.test(spec.toolName)) {
    const message = 'Gemini takes only names that begin with a letter or `_`; give the tool another tool name.'
    report({ pointer: '', keyword: 'toolName', kind: 'fallback', message, loosens: false })
  }
  const root = objectRoot(spec.arguments, { vendor: 'Gemini', report })
  const schema = geminiSchema(root, '', readDocument(root), report)
  const parametersJsonSchema = isFields(schema) ? schema : root
  return { tool: { name: spec.toolName, description: spec.description, parametersJsonSchema }, changes }
}

/** Whether a reference within a schema leads, by whatever way, back to itself. */
function leadsToItself(start: Located, document: SchemaDocument): boolean {
  const finished = new Set<unknown>()
  const underWay = new Set<unknown>()
  const visit = (place: Located): boolean => {
    const { schema } = place
    if (!isFields(schema) || finished.has(schema)) return false
    if (underWay.has(schema)) return true
    underWay.add(schema)
    const target = typeof schema.$ref === 'string' ? [document.index.resolve(schema.$ref, place)] : []
    const parts = subschemasOf(schema).filter(([, keyword]) => keyword !== '$defs')
    const below = parts.map(([part, ...path]) => document.index.below(place, part, ...path))
    const found = [...target, ...below].some(visit)
    underWay.delete(schema)
    finished.add(schema)
    return found
  }
  return visit(start)
}
