import { compilePattern, type Pattern, UnsupportedPatternError } from '../pattern/pattern.js'
import { SchemaError } from './schema-error.js'

/**
 * Compiles a pattern as JSON Schema means it: Unicode-aware; patterns that are legal only without that, without. To match a
 * text takes time linear in its length.
 *
 * @throws {SchemaError}
 */
export function preparePattern(pattern: string, pointer: string): Pattern {
  try {
    return compilePattern(pattern)
  } catch (error) {
    const shown = JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}...` : pattern)
    if (error instanceof SyntaxError) throw new SchemaError(pointer, `${shown} is not a regular expression.`)
    if (!(error instanceof UnsupportedPatternError)) throw error
    throw new SchemaError(pointer, `${error.message}. Rewrite ${shown}, or check the value in the tool.`)
  }
}
