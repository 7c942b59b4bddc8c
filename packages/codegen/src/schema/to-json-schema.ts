import { eachSubschema, maxPatternLength, pointerOf, unsupportedPart } from '@toolgen/runtime/schema'
import {
  atPointer,
  type Converted,
  hasErrors,
  isObject,
  own,
  type Schema,
  type SchemaDiagnostic,
  schemaError,
} from './json-schema.js'
import { fromAiSdk, isAiSdkSchema } from './libraries/ai-sdk.js'
import type { Direction, LibrarySchema } from './libraries/library.js'
import { isPlainSchema, readPlainSchema } from './libraries/plain.js'
import { fromStandardJsonSchema, isStandardSchema } from './libraries/standard.js'
import { fromTypeBox, isTypeBox } from './libraries/typebox.js'
import { fromZod3, isZod3 } from './libraries/zod3.js'
import { fromZod4, isZod4 } from './libraries/zod4.js'
import { normalize } from './normalize.js'
import type { SchemaDocument } from './schema-document.js'

export type ReadSchema = SchemaDocument & Pick<LibrarySchema, 'refinements'>

/**
 * Selects the converter by the library of the schema, because a converter of another library could silently return an empty schema. `hint` is the
 * name of the definition for the root, if a reference points to the root.
 */
export function toJsonSchema(
  value: unknown,
  options: { readonly io: Direction; readonly hint: string },
): Converted<ReadSchema> {
  const converted = convert(value, options.io)
  if (converted.value === undefined) return { diagnostics: converted.diagnostics }
  const normalized = normalize(converted.value.schema, options.hint)
  const found = [...converted.diagnostics, ...normalized.diagnostics]
  if (normalized.value === undefined || hasErrors(found)) return { diagnostics: found }
  const diagnostics = [...found, ...nonlinearPatterns(converted.value.schema, [])]
  if (hasErrors(diagnostics)) return { diagnostics }
  return { value: { ...normalized.value, refinements: converted.value.refinements }, diagnostics }
}

function convert(value: unknown, io: Direction): Converted<LibrarySchema> {
  if (isZod4(value)) return fromZod4(value, io)
  if (isZod3(value)) return fromZod3(value, io)
  if (isTypeBox(value)) return fromTypeBox(value, io)
  if (isAiSdkSchema(value)) return fromAiSdk(value)
  if (isStandardSchema(value)) return fromStandardJsonSchema(value, io)
  if (!isPlainSchema(value)) return { diagnostics: [noSchema(value)] }
  const { value: schema, diagnostics } = readPlainSchema(value)
  return schema === undefined ? { diagnostics } : { value: { schema, refinements: [] }, diagnostics }
}

function nonlinearPatterns(schema: Schema, keys: readonly string[]): readonly SchemaDiagnostic[] {
  if (typeof schema === 'boolean') return []
  const [pattern, keyed] = [own(schema, 'pattern'), own(schema, 'patternProperties')]
  const patterns = [...(typeof pattern === 'string' ? [pattern] : []), ...(isObject(keyed) ? Object.keys(keyed) : [])]
  const diagnostics = patterns.flatMap((each): SchemaDiagnostic[] => {
    const part = unsupportedPart(each)
    return part === undefined ? [] : [nonlinearPattern(each, part, keys)]
  })
  eachSubschema(schema, (inner, steps) => diagnostics.push(...nonlinearPatterns(inner, [...keys, ...steps])))
  return diagnostics
}

function nonlinearPattern(pattern: string, part: string, trail: readonly string[]): SchemaDiagnostic {
  if (pattern.length > maxPatternLength) {
    const [length, most] = [pattern.length, maxPatternLength].map((count) => count.toLocaleString('en'))
    return schemaError(
      'TG3038',
      `The pattern ${atPointer(pointerOf(trail))} has ${length} characters. The limit is ${most}.`,
      'Shorten the pattern, or check the value in the tool.',
      trail,
    )
  }
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}...` : pattern
  return schemaError(
    'TG3038',
    `The pattern \`${shown}\` ${atPointer(pointerOf(trail))} has ${part}, so it cannot be matched in linear time.`,
    `Write the pattern without ${part}, or remove the pattern and check the value in the tool.`,
    trail,
  )
}

function noSchema(value: unknown): SchemaDiagnostic {
  const what = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
  return schemaError(
    'TG3001',
    `${value === undefined ? 'The schema is missing' : `This is ${what}, not a schema`}.`,
    'Use a Zod schema, a schema of a library with Standard JSON Schema, or a plain JSON Schema.',
    [],
  )
}
