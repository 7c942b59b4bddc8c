import { SchemaError } from './schema-error.js'

/**
 * Compiles a pattern as JSON Schema means it: Unicode-aware; patterns that are legal only without that, without.
 * The engine gives no limit in time: that patterns end soon is for the schema's author to see to.
 */
export function preparePattern(pattern: string, pointer: string): RegExp {
  return compile(pattern, 'u') ?? compile(pattern, '') ?? refuse(pattern, pointer)
}

function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    // There is no other way to ask whether a pattern is well-formed.
    return undefined
  }
}

function refuse(pattern: string, pointer: string): never {
  throw new SchemaError(pointer, `${JSON.stringify(pattern)} is not a regular expression.`)
}
