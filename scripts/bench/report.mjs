import { table } from '../lib/table.mjs'

const comparisons = {
  '<': (number, limit) => number < limit,
  '<=': (number, limit) => number <= limit,
  '>=': (number, limit) => number >= limit,
}

/**
 * Creates an aim: a value must not exceed the limit. Without `against`, the limit applies to the value, in the unit of its row. With `against`,
 * the limit applies to the ratio of the value to the value of this contestant.
 *
 * @example atMost(8) // { quantity: 'value', comparison: '<=', limit: 8 }
 * @example atMost(1.2, 'node -e 0') // { quantity: 'ratio', against: 'node -e 0', comparison: '<=', limit: 1.2 }
 */
export const atMost = (limit, against) => aim('<=', limit, against)

/** Creates an aim: a value must be below the limit. */
export const below = (limit, against) => aim('<', limit, against)

/** Creates an aim: a value must reach the limit. */
export const atLeast = (limit, against) => aim('>=', limit, against)

function aim(comparison, limit, against) {
  const quantity = against === undefined ? { quantity: 'value' } : { quantity: 'ratio', against }
  return { ...quantity, comparison, limit }
}

/** Creates the value of a measurement that is not possible on this machine. Its aims do not apply. */
export const skipped = (reason) => `skipped: ${reason}`

/** Creates the value of a contestant that returned a wrong result. The contestant misses its aims. */
export const wrong = (reason) => `wrong: ${reason}`

/** Returns the contestant with the minimum value. Ignores skipped and wrong values. */
export const least = (measurements) =>
  measurements
    .filter(({ value }) => typeof value === 'number')
    .reduce((best, each) => (best === undefined || each.value < best.value ? each : best), undefined)

/**
 * Creates the rows of a report from measurements. A measurement with several aims has one row for each.
 *
 * A measurement is `{ case, contestant, value, unit, against, aims }`. `value` is a number, `skipped(...)` or `wrong(...)`.
 * `against` (optional) names the contestant of the same case and unit that the value is divided by to give the ratio.
 * `aims` (optional) is an array; entries that are `undefined` are ignored.
 *
 * scripts/bench/README.md documents the rows.
 */
export function rowsOf(measurements) {
  const find = ({ case: title, unit }, contestant) => {
    const found = measurements.find((one) => one.case === title && one.unit === unit && one.contestant === contestant)
    if (found === undefined) throw new Error(`no measurement "${title}" of ${contestant} in ${unit}`)
    return found
  }
  const references = new Set(
    measurements.flatMap((one) =>
      [one.against, ...(one.aims ?? []).map((each) => each?.against)]
        .filter((name) => name !== undefined)
        .map((name) => find(one, name)),
    ),
  )
  return measurements.flatMap((measurement) => {
    requireMeasurement(measurement)
    const {
      case: title,
      contestant,
      value,
      unit,
      against = references.has(measurement) ? contestant : undefined,
    } = measurement
    const applies = (each) => each.quantity === 'value' || typeof find(measurement, each.against).value === 'number'
    const aims = isSkipped(value) ? [] : (measurement.aims ?? []).filter((each) => each !== undefined && applies(each))
    return (aims.length === 0 ? [null] : aims).map((each) => {
      const reference = each?.against ?? against
      const ratio = reference === undefined ? null : quotient(value, find(measurement, reference).value)
      const met = each === null ? null : isMet(each, { value, ratio })
      return { case: title, contestant, value, unit, ratio, aim: each, met }
    })
  })
}

function requireMeasurement({ case: title, contestant, value }) {
  if (Number.isFinite(value) || isSkipped(value) || (typeof value === 'string' && value.startsWith('wrong: '))) return
  throw new Error(`the value of "${title}" of ${contestant} is ${value}`)
}

const isSkipped = (value) => typeof value === 'string' && value.startsWith('skipped: ')

const quotient = (value, reference) =>
  typeof value === 'number' && typeof reference === 'number' ? value / reference : null

function isMet({ quantity, comparison, limit }, figures) {
  const figure = figures[quantity]
  return typeof figure === 'number' && comparisons[comparison](figure, limit)
}

/** Returns the report as lines of text. */
export function reportTable(rows) {
  const texts = rows.map((row) => ({
    ...row,
    ratio: row.ratio ?? undefined,
    aim: row.aim === null ? undefined : aimText(row.aim),
    met: row.met ?? undefined,
  }))
  return table(texts, ['case', 'contestant', 'value', 'unit', 'ratio', 'aim', 'met'])
}

/** Returns an aim as text: `<= 8`, or `<= 1.2 × node -e 0`. */
export const aimText = ({ quantity, comparison, limit, against }) =>
  `${comparison} ${limit}${quantity === 'ratio' ? ` × ${against}` : ''}`

/** Returns the value of a row with its unit. */
export const valueText = ({ value, unit }) =>
  typeof value === 'number' ? `${Number(value.toPrecision(3))} ${unit}` : value
