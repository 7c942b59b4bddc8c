import { formats } from '../formats/formats.js'
import { countKeyword, textKeyword } from './keywords.js'
import type { StringCheck } from './node.js'
import { preparePattern } from './patterns.js'
import type { Site } from './site.js'

/** Prepares what constrains texts: lengths in code points, `pattern`, and the asserted formats. */
export function prepareStrings(site: Site): readonly StringCheck[] {
  return [lengthCheck(site), formatCheck(site), patternCheck(site)].filter((check) => check !== undefined)
}

function lengthCheck(site: Site): StringCheck | undefined {
  const minimum = countKeyword(site, 'minLength')
  const maximum = countKeyword(site, 'maxLength')
  if (minimum === undefined && maximum === undefined) return undefined
  const least = minimum ?? 0
  const most = maximum ?? Number.POSITIVE_INFINITY
  const bounds = { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) }
  return (value, run) => {
    // A code point takes one or two units: most texts need not be counted.
    const { length } = value
    if (length <= most && length >= least * 2) return true
    const received = codePoints(value)
    if (received >= least && received <= most) return true
    return run.report({ constraint: 'invalid_length', unit: 'characters', received, ...bounds })
  }
}

function patternCheck(site: Site): StringCheck | undefined {
  const pattern = textKeyword(site, 'pattern')
  if (pattern === undefined) return undefined
  const expression = preparePattern(pattern, `${site.pointer}/pattern`)
  return (value, run) =>
    expression.test(value) || run.report({ constraint: 'invalid_pattern', pattern, received: value })
}

function formatCheck(site: Site): StringCheck | undefined {
  const format = textKeyword(site, 'format')
  const test = format === undefined ? undefined : formats.get(format)
  if (format === undefined || test === undefined) return undefined
  return (value, run) => test(value) || run.report({ constraint: 'invalid_format', format, received: value })
}

/** How many code points a text has; a lone surrogate counts as one. */
function codePoints(text: string): number {
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
