import { eachSubschema, maxPatternLength, pointerOf, unsupportedPart } from '@toolgen/runtime/schema'
import { atPointer, type Converted, hasErrors, isObject, own, type Schema, type SchemaFault } from './json-schema.js'
import type { Direction, LibrarySchema } from './libraries/library.js'
import { isPlainSchema, readPlainSchema } from './libraries/plain.js'
import { fromStandardJsonSchema, isStandardSchema } from './libraries/standard.js'
import { fromTypeBox, isTypeBox } from './libraries/typebox.js'
import { fromZod3, isZod3 } from './libraries/zod3.js'
import { fromZod4, isZod4 } from './libraries/zod4.js'
import { normalise, type SchemaDocument } from './normalize.js'

/** A schema of the design as a normalised JSON Schema. */
export type ReadSchema = SchemaDocument & Pick<LibrarySchema, 'refinements'>

/**
 * Reads a schema of any accepted kind. Each library has its own converter, chosen by what the value carries: a wrong
 * converter would answer with an empty schema.
 *
 * @param options.io `input` describes what is sent, `output` what comes back
 * @param options.hint the name of a definition that must be made of the schema itself
 */
export function toJsonSchema(
  value: unknown,
  options: { readonly io: Direction; readonly hint: string },
): Converted<ReadSchema> {
  const converted = convert(value, options.io)
  if (converted.value === undefined) return { faults: converted.faults }
  const normalised = normalise(converted.value.schema, options.hint)
  const found = [...converted.faults, ...normalised.faults]
  if (normalised.value === undefined || hasErrors(found)) return { faults: found }
  const faults = [...found, ...nonlinearPatterns(converted.value.schema, [])]
  if (hasErrors(faults)) return { faults }
  return { value: { ...normalised.value, refinements: converted.value.refinements }, faults }
}

function convert(value: unknown, io: Direction): Converted<LibrarySchema> {
  if (isZod4(value)) return fromZod4(value, io)
  if (isZod3(value)) return fromZod3(value, io)
  if (isTypeBox(value)) return fromTypeBox(value, io)
  if (isStandardSchema(value)) return fromStandardJsonSchema(value, io)
  if (!isPlainSchema(value)) return { faults: [noSchema(value)] }
  const { value: schema, faults } = readPlainSchema(value)
  return schema === undefined ? { faults } : { value: { schema, refinements: [] }, faults }
}

/** Patterns that codecs cannot match in a time that anybody waits for. */
function nonlinearPatterns(schema: Schema, keys: readonly string[]): readonly SchemaFault[] {
  if (typeof schema === 'boolean') return []
  const [pattern, keyed] = [own(schema, 'pattern'), own(schema, 'patternProperties')]
  const patterns = [...(typeof pattern === 'string' ? [pattern] : []), ...(isObject(keyed) ? Object.keys(keyed) : [])]
  const faults = patterns.flatMap((each): SchemaFault[] => {
    const part = unsupportedPart(each)
    return part === undefined ? [] : [nonlinearPattern(each, part, keys)]
  })
  eachSubschema(schema, (inner, steps) => faults.push(...nonlinearPatterns(inner, [...keys, ...steps])))
  return faults
}

function nonlinearPattern(pattern: string, part: string, trail: readonly string[]): SchemaFault {
  if (pattern.length > maxPatternLength) {
    const [length, most] = [pattern.length, maxPatternLength].map((count) => count.toLocaleString('en'))
    return {
      code: 'TG3038',
      severity: 'error',
      message: `The pattern ${atPointer(pointerOf(trail))} has ${length} characters; the limit is ${most}.`,
      next: 'Shorten it, or check the value in the tool.',
      trail,
    }
  }
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}...` : pattern
  return {
    code: 'TG3038',
    severity: 'error',
    message: `The pattern \`${shown}\` ${atPointer(pointerOf(trail))} has ${part}, so it cannot be matched in linear time.`,
    next: `Write it without ${part}, or remove it and test the value where the tool runs.`,
    trail,
  }
}

function noSchema(value: unknown): SchemaFault {
  const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  return {
    code: 'TG3001',
    severity: 'error',
    message: `This is ${value === undefined ? 'missing' : what}, not a schema.`,
    next: 'Give a Zod schema, a schema of a library with Standard JSON Schema, or a plain JSON Schema.',
    trail: [],
  }
}
