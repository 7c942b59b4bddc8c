import { Run } from '../schema/evaluation.js'
import { pointerOf } from '../schema/json-pointer.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { SchemaDocument } from '../schema/prepare.js'
import type { Located } from '../schema/references.js'
import { isSchema, mapSubschemas as mapSchemas } from '../schema/subschemas.js'
import type { JsonSchema } from '../types/json.js'
import { codeKeyword, restrictingKeywords, without } from './changes.js'
import { mergeSchemas } from './merge-schemas.js'

const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems']

/**
 * Returns `undefined` if a single schema cannot express the combination. `inlined` contains the schemas that have already replaced a reference, so
 * that recursive references are detected.
 */
export function flattened(
  schema: Fields,
  document: SchemaDocument,
  inlined: ReadonlySet<unknown> = new Set(),
): Fields | undefined {
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  const targets = typeof schema.$ref === 'string' ? [{ $ref: schema.$ref }] : []
  const hasOwnRules = restrictingKeywords(without(schema, ['$ref', 'allOf'])).length > 0
  if (parts.length === 0 && (targets.length === 0 || !hasOwnRules)) return schema
  if (parts.length === 1 && targets.length === 0 && !hasOwnRules && isLoneReference(parts[0])) {
    return { ...parts[0], ...without(schema, ['allOf']) }
  }
  let whole: Fields | undefined = without(schema, ['$ref', 'allOf', ...UNEVALUATED])
  for (const part of [...targets, ...parts]) {
    if (part === true) continue
    const flat = isFields(part) ? inlinedPart(part, document, inlined) : undefined
    whole = flat && whole && mergeSchemas(whole, flat)
  }
  const unevaluated = Object.entries(schema).filter(([name]) => UNEVALUATED.includes(name))
  return whole && { ...whole, ...Object.fromEntries(unevaluated) }
}

export function inlinedPart(
  part: Fields,
  document: SchemaDocument,
  inlined: ReadonlySet<unknown> = new Set(),
): Fields | undefined {
  const flat = flattened(part, document, inlined)
  if (flat === undefined || typeof flat.$ref !== 'string') return flat
  const { schema } = document.index.resolve(flat.$ref, located(flat, document))
  if (!isFields(schema) || inlined.has(schema)) return undefined
  const target = inlinedPart(schema, document, new Set([...inlined, schema]))
  return target && { ...without(target, ['$defs']), ...without(flat, ['$ref']) }
}

function isLoneReference(part: unknown): part is Fields {
  return isFields(part) && typeof part.$ref === 'string' && restrictingKeywords(part).length === 1
}

export function located(schema: unknown, document: SchemaDocument, pointer: string = ''): Located {
  return { schema, pointer, base: document.index.root.base }
}

export function accepts(schema: unknown, value: unknown, document: SchemaDocument): boolean {
  const run = new Run({ hasUnwritable: false, rejectsUnknown: false })
  run.quiet = true
  return document.node(located(schema, document)).check(value, run, undefined)
}

export function mapSubschemas(
  schema: Fields,
  pointer: string,
  replace: (subschema: unknown, pointer: string) => unknown,
): Record<string, unknown> {
  return {
    ...mapSchemas(schema, (subschema, path) => {
      const replaced = replace(subschema, pointer + pointerOf(path))
      return isSchema(replaced) ? replaced : undefined
    }),
  }
}

export function plainSchema(schema: JsonSchema): JsonSchema {
  return typeof schema === 'boolean' ? schema : withoutCode(schema)
}

function withoutCode(schema: Fields): Fields {
  return mapSubschemas(without(schema, [codeKeyword]), '', (subschema) =>
    isFields(subschema) ? withoutCode(subschema) : subschema,
  )
}
