import { type Fields, isFields, kindOf } from '../schema/json-values.js'
import { kindsOf, namesOf } from '../schema/keywords.js'
import { readDocument, type SchemaDocument } from '../schema/prepare.js'
import type { Located } from '../schema/references.js'
import { isSchema, subschemasOf } from '../schema/subschemas.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'
import { type Projection, type ProjectionChange, without } from './changes.js'
import { constraintNote, described } from './constraint-notes.js'
import { objectRoot } from './object-root.js'
import { removedNotes } from './removed-keywords.js'
import { flattened, located, mapSubschemas } from './schemas.js'

/** Function declaration of the Gemini API. */
export interface GeminiTool {
  readonly name: string
  readonly description: string
  readonly parametersJsonSchema: JsonSchemaObject
}

/**
 * Converts a tool for Gemini. The schema of the arguments contains only keywords that Gemini supports. The descriptions contain the rules of all
 * unsupported keywords. If Gemini rejects the tool name, `changes` contains a change of the kind `fallback`.
 *
 * @throws {SchemaError} if the schema of the arguments is invalid.
 * @example
 * const { tool } = geminiTool(getOrderSpec)
 * const config = { tools: [{ functionDeclarations: [tool] }] }
 */
export function geminiTool(spec: ToolSpec): Projection<GeminiTool> {
  const changes: ProjectionChange[] = []
  if (!/^[a-zA-Z_]/.test(spec.toolName)) {
    const message = 'Gemini accepts only tool names that begin with a letter or `_`. Set another `toolName`.'
    changes.push({ pointer: '', keyword: 'toolName', kind: 'fallback', message, loosens: false })
  }
  const root = objectRoot(spec.arguments, 'Gemini', (change) => changes.push(change))
  const parametersJsonSchema = new GeminiWriter(root, changes).write(root, '')
  return { tool: { name: spec.toolName, description: spec.description, parametersJsonSchema }, changes }
}

export function geminiSchema(schema: JsonSchema): JsonSchemaObject {
  const root = isFields(schema) ? schema : {}
  return new GeminiWriter(root, []).write(root, '')
}

/**
 * Keywords of `parametersJsonSchema` that Gemini supports, according to its API reference in autumn 2026. `enum` can contain only numbers and
 * non-empty strings (Gemini's error: "enum[0]: cannot be empty"). Gemini treats `oneOf` as `anyOf`. A schema with `$ref` must not have other
 * keywords. Only optional fields can be recursive.
 */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['$defs', '$ref', 'type', 'format', 'title', 'description', 'enum', 'anyOf', 'oneOf'],
  ...['properties', 'additionalProperties', 'required', 'items', 'prefixItems', 'minItems', 'maxItems'],
  ...['minimum', 'maximum'],
])

class GeminiWriter {
  readonly #document: SchemaDocument
  readonly #changes: ProjectionChange[]

  constructor(schema: JsonSchema, changes: ProjectionChange[]) {
    this.#document = readDocument(schema)
    this.#changes = changes
  }

  write(schema: Fields, pointer: string): Fields {
    const flat = flattened(schema, this.#document) ?? this.#withoutUnions(schema, pointer)
    const literals = this.#literals(this.#bounds(flat, pointer), pointer)
    const finite = this.#withoutRecursion(literals.schema, pointer)
    const removed = removedNotes({
      schema: finite,
      pointer,
      keeps: (keyword) => KEYWORDS.has(keyword),
      kinds: kindsOf({ schema: finite, pointer }),
      vendor: 'Gemini',
      report: (change) => this.#changes.push(change),
    })
    const unsupported = Object.keys(finite).filter((keyword) => !KEYWORDS.has(keyword))
    const supported = without(finite, unsupported)
    const { $ref, ...written } = mapSubschemas(supported, pointer, (part, path) => this.#subschema(part, path))
    const description = described(written.description, [...literals.notes, ...removed])
    if (description !== undefined) written.description = description
    if (typeof $ref !== 'string') return written
    // A `$ref` must be the only keyword. Otherwise it becomes the only variant of a union.
    const isAlone = Object.keys(written).every((name) => name === '$defs')
    return isAlone ? { $ref, ...written } : { ...written, anyOf: [{ $ref }] }
  }

  #report(pointer: string, keyword: string, kind: ProjectionChange['kind'], message: string, loosens: boolean): void {
    this.#changes.push({ pointer, keyword, kind, message, loosens })
  }

  #subschema(part: unknown, pointer: string): unknown {
    if (isFields(part)) return this.write(part, pointer)
    if (/\/additionalProperties$/.test(pointer) || !isSchema(part)) return part
    if (part === true) return {}
    const message = 'Gemini does not support a schema that allows no value. The schema is left out.'
    this.#report(pointer, 'not', 'removed', message, true)
    return undefined
  }

  #withoutUnions(schema: Fields, pointer: string): Fields {
    if (typeof schema.$ref !== 'string') return schema
    const unions = ['anyOf', 'oneOf'].filter((keyword) => Object.hasOwn(schema, keyword))
    for (const keyword of unions) {
      this.#report(pointer, keyword, 'removed', `Gemini does not support \`${keyword}\` next to a reference.`, true)
    }
    return without(schema, unions)
  }

  #bounds(schema: Fields, pointer: string): Fields {
    if (schema.type !== 'integer') return schema
    let written = schema
    const bounds = [
      ['exclusiveMinimum', 'minimum', 1, Math.max],
      ['exclusiveMaximum', 'maximum', -1, Math.min],
    ] as const
    for (const [exclusive, inclusive, step, narrower] of bounds) {
      const bound = schema[exclusive]
      if (typeof bound !== 'number' || !Number.isSafeInteger(bound)) continue
      const other = schema[inclusive]
      const value = typeof other === 'number' ? narrower(other, bound + step) : bound + step
      written = { ...without(written, [exclusive]), [inclusive]: value }
      const message = `\`${exclusive}\` is written as \`${inclusive}\`, which is equivalent for integers.`
      this.#report(pointer, exclusive, 'changed', message, false)
    }
    return written
  }

  /** Gemini allows only strings and numbers in `enum`, so `null` becomes a separate variant. */
  #literals(schema: Fields, pointer: string): { readonly schema: Fields; readonly notes: readonly string[] } {
    const keyword = ['const', 'enum'].find((name) => Object.hasOwn(schema, name))
    if (keyword === undefined) return { schema, notes: [] }
    const value = schema[keyword]
    const values: readonly unknown[] = keyword === 'enum' ? [value].flat() : [value]
    const listed = values.filter((each) => (typeof each === 'string' && each !== '') || typeof each === 'number')
    const bare = without(schema, ['const', 'enum'])
    const isExpressible = values.every((each) => each === null || listed.includes(each as string | number))
    if (!isExpressible || Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
      const note = constraintNote(keyword, value)
      const message = `Gemini supports only numbers and non-empty strings in \`enum\`${note === undefined ? '' : '; the description lists the values'}.`
      this.#report(pointer, keyword, note === undefined ? 'removed' : 'moved_to_description', message, true)
      const kinds = [...new Set(values.map(kindOf))]
      const type = schema.type ?? (kinds.length === 1 ? kinds[0] : kinds)
      return { schema: { ...bare, type }, notes: note === undefined ? [] : [note] }
    }
    if (keyword === 'enum' && listed.length === values.length) return { schema, notes: [] }
    const message = 'The values are written as an `enum` of strings and numbers, and a variant for null.'
    this.#report(pointer, keyword, 'changed', message, false)
    const variants: Fields[] = [...new Set(listed.map(kindOf))].map((kind) => ({
      type: kind,
      enum: listed.filter((each) => kindOf(each) === kind),
    }))
    if (listed.length < values.length) variants.push({ type: 'null' })
    const rest = without(bare, ['type'])
    return { schema: variants.length === 1 ? { ...rest, ...variants[0] } : { ...rest, anyOf: variants }, notes: [] }
  }

  /** Gemini allows recursion only in optional fields. */
  #withoutRecursion(schema: Fields, pointer: string): Fields {
    const required = namesOf(schema.required)
    const { properties } = schema
    if (required === undefined || !isFields(properties)) return schema
    const recursive = required.filter(
      (name) => Object.hasOwn(properties, name) && this.#isRecursive(located(properties[name], this.#document)),
    )
    if (recursive.length === 0) return schema
    for (const name of recursive) {
      const message = `The recursive field ${JSON.stringify(name)} is made optional: Gemini supports recursion only in optional fields.`
      this.#report(pointer, 'required', 'changed', message, true)
    }
    const rest = required.filter((name) => !recursive.includes(name))
    return { ...without(schema, ['required']), ...(rest.length > 0 && { required: rest }) }
  }

  #isRecursive(start: Located): boolean {
    const { index } = this.#document
    const finished = new Set<unknown>()
    const open = new Set<unknown>()
    const visit = (location: Located): boolean => {
      const { schema } = location
      if (!isFields(schema) || finished.has(schema)) return false
      if (open.has(schema)) return true
      open.add(schema)
      const targets = typeof schema.$ref === 'string' ? [index.resolve(schema.$ref, location)] : []
      const parts = subschemasOf(schema).filter(([, keyword]) => keyword !== '$defs')
      const found = [...targets, ...parts.map(([part, ...path]) => index.below(location, part, ...path))].some(visit)
      open.delete(schema)
      finished.add(schema)
      return found
    }
    return visit(start)
  }
}
