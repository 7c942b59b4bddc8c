import { type Run, ScalarTrace, type Site, type StringCheck, type Trace } from './evaluation.js'
import { formats } from './formats.js'
import { boundWords, lengthMessage } from './issue-messages.js'
import { boundedReceived, lengthFacts } from './issues.js'
import { countKeyword, keyword, SchemaError, textKeyword } from './keywords.js'
import { compilePattern, type Pattern, UnsupportedPatternError } from './pattern.js'
import { isWireText, type JsType, jsTypes, wireFormats } from './typed-values.js'

/** Pattern of bigints in schemas: a violation is reported once, by the type. */
const bigintPattern = '^-?(0|[1-9][0-9]*)$'

/** Says whether a text is the wire form of a type, and records the type. */
export type TypedCheck = (text: string, run: Run, trace: Trace | undefined) => boolean

/** Prepares `x-js`: the JavaScript type that a text is decoded to. */
export function prepareTyped(site: Site): TypedCheck | undefined {
  const type = namedType(site)
  if (type === undefined) return undefined
  const format = wireFormats[type]
  return (text, run, trace) => {
    if (trace instanceof ScalarTrace) trace.type ??= type
    return (
      isWireText(type, text) ||
      (!run.quiet && run.report({ constraint: 'invalid_format', format, ...boundedReceived(text) }))
    )
  }
}

/** Returns whether `x-js` of a schema checks all that its `format` or `pattern` says. */
function isSaidByType(site: Site, name: 'format' | 'pattern', value: string): boolean {
  const type = namedType(site)
  return name === 'format' ? type === 'Date' && value === 'date-time' : type === 'bigint' && value === bigintPattern
}

function namedType(site: Pick<Site, 'schema' | 'pointer'>): JsType | undefined {
  const name = keyword(site.schema, 'x-js') === undefined ? undefined : textKeyword(site, 'x-js')
  const type = jsTypes.find((known) => known === name)
  if (name === undefined || type !== undefined) return type
  throw new SchemaError(`${site.pointer}/x-js`, `${JSON.stringify(name)} is none of ${jsTypes.join(', ')}.`)
}

/** Prepares what constrains texts: lengths in code points, `pattern`, and the asserted formats. */
export function prepareStrings(site: Site): readonly StringCheck[] {
  return [lengthCheck(site), formatCheck(site), patternCheck(site)].filter((check) => check !== undefined)
}

function lengthCheck(site: Site): StringCheck | undefined {
  const check = prepareLength(site, 'Length')
  if (check === undefined) return undefined
  const min = countKeyword(site, 'minLength') ?? 0
  const max = countKeyword(site, 'maxLength') ?? Number.POSITIVE_INFINITY
  // A code point takes one or two units: most strings need not be counted.
  return (value, run) => (value.length <= max && value.length >= min * 2) || check(codePoints(value), run)
}

function patternCheck(site: Site): StringCheck | undefined {
  const pattern = textKeyword(site, 'pattern')
  if (pattern === undefined || !site.patterns || isSaidByType(site, 'pattern', pattern)) return undefined
  const expression = preparePattern(pattern, `${site.pointer}/pattern`)
  return (value, run) =>
    expression.test(value) ||
    (!run.quiet && run.report({ constraint: 'invalid_pattern', pattern, ...boundedReceived(value) }))
}

function formatCheck(site: Site): StringCheck | undefined {
  const format = textKeyword(site, 'format')
  const test = format === undefined ? undefined : formats.get(format)
  if (format === undefined || test === undefined || isSaidByType(site, 'format', format)) return undefined
  return (value, run) =>
    test(value) || (!run.quiet && run.report({ constraint: 'invalid_format', format, ...boundedReceived(value) }))
}

/**
 * Compiles a pattern as JSON Schema means it: Unicode-aware; patterns that are legal only without that, without. To
 * match a text takes time linear in its length.
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

/**
 * Prepares the check of a length.
 *
 * @param suffix of the keywords: `Length` of `minLength` and `maxLength`
 */
export function prepareLength(
  site: Site,
  suffix: 'Length' | 'Items' | 'Properties',
): ((received: number, run: Run) => boolean) | undefined {
  const minimum = countKeyword(site, `min${suffix}`)
  const maximum = countKeyword(site, `max${suffix}`)
  if (minimum === undefined && maximum === undefined) return undefined
  const unit = lengthUnits[suffix]
  const allowed = boundWords({ minimum, maximum }, unit)
  const [min, max] = [minimum ?? 0, maximum ?? Number.POSITIVE_INFINITY]
  return (received, run) =>
    (received >= min && received <= max) ||
    (!run.quiet &&
      run.report(lengthFacts(unit, received, minimum, maximum), undefined, lengthMessage(allowed, received)))
}

const lengthUnits = { Length: 'characters', Items: 'items', Properties: 'properties' } as const

/** Returns the number of code points of a string; a lone surrogate counts as one. */
export function codePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    const isPair = isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))
    if (isPair) index++
    count++
  }
  return count
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
