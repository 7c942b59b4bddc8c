import type { Issue } from '../types/codec.js'
import { type Run, ScalarTrace, type Site, type StringCheck, type Trace } from './evaluation.js'
import { formats } from './formats.js'
import { boundWords, lengthMessage, wrongFormatProblem } from './issue-messages.js'
import { boundedReceived } from './issues.js'
import { countKeyword, keyword, SchemaError, textKeyword } from './keywords.js'
import { compilePattern, type Pattern, UnsupportedPatternError } from './pattern.js'
import { isWireText, type JsType, jsTypes, wireFormats } from './typed-values.js'
import { quoted } from './wording.js'

/** The check of `x-js` accepts only strings that match this pattern, so that schemas of bigints need no separate check. */
const bigintPattern = '^-?(0|[1-9][0-9]*)$'

export type TypedCheck = (text: string, run: Run, trace: Trace | undefined) => boolean

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

function isSaidByType(site: Site, name: 'format' | 'pattern', value: string): boolean {
  const type = namedType(site)
  return name === 'format' ? type === 'Date' && value === 'date-time' : type === 'bigint' && value === bigintPattern
}

function namedType(site: Pick<Site, 'schema' | 'pointer'>): JsType | undefined {
  const name = keyword(site.schema, 'x-js') === undefined ? undefined : textKeyword(site, 'x-js')
  const type = jsTypes.find((known) => known === name)
  if (name === undefined || type !== undefined) return type
  const problem = `\`x-js\` must be one of ${jsTypes.join(', ')}, but is ${JSON.stringify(name)}.`
  throw new SchemaError(`${site.pointer}/x-js`, problem)
}

export function prepareStrings(site: Site): readonly StringCheck[] {
  return [lengthCheck(site), formatCheck(site), patternCheck(site)].filter((check) => check !== undefined)
}

function lengthCheck(site: Site): StringCheck | undefined {
  const check = prepareLength(site, 'Length')
  if (check === undefined) return undefined
  const min = countKeyword(site, 'minLength') ?? 0
  const max = countKeyword(site, 'maxLength') ?? Number.POSITIVE_INFINITY
  // A code point has one or two code units. So `length` alone decides for most strings, without counting code points.
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
  const constraint = 'invalid_format'
  const problem = wrongFormatProblem(format)
  return (value, run) => {
    if (test(value)) return true
    if (run.quiet) return false
    const { received, receivedLength } = boundedReceived(value)
    if (receivedLength !== undefined) return run.report({ constraint, format, received, receivedLength })
    // The usual case is written without a copy, which is faster.
    const message = quoted(received) + problem
    return run.add({ path: run.pointer, constraint, format, received, message }, run.about)
  }
}

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
      run.add(
        lengthIssue(received, { unit, minimum, maximum }, run.pointer, lengthMessage(allowed, received)),
        run.about,
      ))
}

interface LengthBounds {
  readonly unit: 'characters' | 'items' | 'properties'
  readonly minimum: number | undefined
  readonly maximum: number | undefined
}

function lengthIssue(received: number, { unit, minimum, maximum }: LengthBounds, path: string, message: string): Issue {
  const constraint = 'invalid_length'
  if (minimum === undefined) {
    return maximum === undefined
      ? { path, constraint, unit, received, message }
      : { path, constraint, unit, received, maximum, message }
  }
  return maximum === undefined
    ? { path, constraint, unit, received, minimum, message }
    : { path, constraint, unit, received, minimum, maximum, message }
}

const lengthUnits = { Length: 'characters', Items: 'items', Properties: 'properties' } as const

const surrogate = /[\uD800-\uDBFF]/

/** Returns the number of code points of a string. Counts a lone surrogate as one code point. */
export function codePoints(text: string): number {
  if (!surrogate.test(text)) return text.length
  let count = 0
  for (let index = 0; index < text.length; index++) {
    // A surrogate pair takes two code units.
    if ((text.codePointAt(index) ?? 0) > 0xffff) index++
    count++
  }
  return count
}
