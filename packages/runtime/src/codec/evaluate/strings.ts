import { formats } from '../formats/formats.js'
import { boundedReceived } from '../issues/received.js'
import { codePoints } from '../json/code-points.js'
import { countKeyword, textKeyword } from './keywords.js'
import { lengthReport } from './length-report.js'
import type { StringCheck } from './node.js'
import { preparePattern } from './patterns.js'
import type { Site } from './site.js'
import { isSaidByType } from './typed-check.js'

/** Prepares what constrains texts: lengths in code points, `pattern`, and the asserted formats. */
export function prepareStrings(site: Site): readonly StringCheck[] {
  return [lengthCheck(site), formatCheck(site), patternCheck(site)].filter((check) => check !== undefined)
}

function lengthCheck(site: Site): StringCheck | undefined {
  const minimum = countKeyword(site, 'minLength')
  const maximum = countKeyword(site, 'maxLength')
  if (minimum === undefined && maximum === undefined) return undefined
  const report = lengthReport('characters', minimum, maximum)
  const least = minimum ?? 0
  const most = maximum ?? Number.POSITIVE_INFINITY
  return (value, run) => {
    // A code point takes one or two units: most texts need not be counted.
    const { length } = value
    if (length <= most && length >= least * 2) return true
    const received = codePoints(value)
    if (received >= least && received <= most) return true
    return report(received, run)
  }
}

function patternCheck(site: Site): StringCheck | undefined {
  const pattern = textKeyword(site, 'pattern')
  if (pattern === undefined || isSaidByType(site, 'pattern', pattern)) return undefined
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
