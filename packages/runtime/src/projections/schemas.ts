import { pointerOf } from '../schema/json-pointer.js'
import { type Fields, isFields } from '../schema/json-values.js'
import { isSchema, mapSubschemas as mapSchemas } from '../schema/keywords.js'
import type { SchemaDocument } from '../schema/prepare.js'
import type { Located } from '../schema/references.js'
import type { JsonSchema } from '../types/json.js'
import { mergeSchemas } from './merge-schemas.js'
import { codeKeyword, type DraftSchema, restrictingKeywords, without } from './report.js'

/** Keywords that count what `allOf` and references declare as known. */
const seesParts: readonly string[] = ['unevaluatedProperties', 'unevaluatedItems']

/**
 * A schema without `allOf` and without a reference beside other keywords: everything that applies to the same value,
 * written as one schema. A reference that stands alone is kept. `undefined` where one schema cannot say it.
 */
export function flattened(schema: Fields, document: SchemaDocument, inlined: ReadonlySet<unknown>): Fields | undefined {
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  const hasOwnRules = restrictingKeywords(without(schema, ['$ref', 'allOf'])).length > 0
  if (parts.length === 0 && (typeof schema.$ref !== 'string' || !hasOwnRules)) return schema
  if (parts.length === 1 && typeof schema.$ref !== 'string' && !hasOwnRules && isLoneReference(parts[0])) {
    return { ...parts[0], ...without(schema, ['allOf']) }
  }
  let whole: Fields | undefined = without(schema, ['$ref', 'allOf', ...seesParts])
  const targets = typeof schema.$ref === 'string' ? [{ $ref: schema.$ref }] : []
  for (const part of [...targets, ...parts]) {
    if (part === true) continue
    const flat = isFields(part) ? inlinedPart(part, document, inlined) : undefined
    whole = flat === undefined || whole === undefined ? undefined : mergeSchemas(whole, flat)
  }
  const seen = Object.entries(schema).filter(([name]) => seesParts.includes(name))
  return whole === undefined ? undefined : { ...whole, ...Object.fromEntries(seen) }
}

/** What a schema says, with the reference that it may be replaced by its target. */
export function inlinedPart(part: Fields, document: SchemaDocument, inlined: ReadonlySet<unknown>): Fields | undefined {
  const flat = flattened(part, document, inlined)
  if (flat === undefined || typeof flat.$ref !== 'string') return flat
  const { schema } = document.index.resolve(flat.$ref, located(flat, document))
  if (!isFields(schema) || inlined.has(schema)) return undefined
  const target = inlinedPart(schema, document, new Set([...inlined, schema]))
  return target === undefined ? undefined : { ...without(target, ['$defs']), ...without(flat, ['$ref']) }
}

/** A schema that was made of parts of a document, as a place in it. */
export function located(schema: unknown, document: SchemaDocument, pointer: string = ''): Located {
  return { schema, pointer, base: document.index.root.base }
}

function isLoneReference(part: unknown): part is Fields {
  return isSchema(part) && isFields(part) && typeof part.$ref === 'string' && restrictingKeywords(part).length === 1
}

/** Replaces a schema inside another one; `undefined` removes it. */
type ReplaceSubschema = (subschema: unknown, pointer: string) => unknown

/** Returns a copy of a schema with every schema directly inside it replaced. */
export function mapSubschemas(schema: Fields, pointer: string, replace: ReplaceSubschema): DraftSchema {
  return {
    ...mapSchemas(schema, (subschema, path) => {
      const replaced = replace(subschema, pointer + pointerOf(path))
      return isSchema(replaced) ? replaced : undefined
    }),
  }
}

/** A copy of a schema without what is about code alone. Fields and data that happen to have such a name stay. */
export function plainSchema(schema: JsonSchema): JsonSchema {
  return typeof schema === 'boolean' ? schema : withoutCode(schema)
}

function withoutCode(schema: object): Record<string, unknown> {
  const { [codeKeyword]: _code, ...bare } = Object.fromEntries(Object.entries(schema))
  return mapSubschemas(bare, '', (subschema) => (isFields(subschema) ? withoutCode(subschema) : subschema))
}
