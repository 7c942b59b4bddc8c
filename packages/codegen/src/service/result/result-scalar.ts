import type { Shape } from '../../schema/shape/shape.js'
import { doubtful, type Fit, failing, fitting, passing, type Spot, spoken } from '../match/fit.js'
import { describeShape, formatOf } from '../match/shape-views.js'
import type { ValueKind } from '../plan/plan.js'
import type { LiteralPart, TypeParts } from '../types/type-parts.js'
import type { BuiltinName } from '../types/type-reader.js'

/** How well the scalars of one kind fit. */
export interface ScalarFit {
  readonly kind: ValueKind
  readonly fit: Fit
}

/** What a method answers, as far as it is a scalar, against one variant of the tool's result (no union, no null). */
export function fitResultScalars(shape: Shape, parts: TypeParts, spot: Spot): readonly ScalarFit[] {
  const brands = (base: string): boolean => parts.brands.some((brand) => brand.base === base)
  const literals = (type: string): readonly LiteralPart[] => parts.literals.filter(({ value }) => typeof value === type)
  const fits: ScalarFit[] = []
  for (const kind of ['string', 'number', 'boolean'] as const) {
    const isOpen = parts[kind] || brands(kind) || (kind === 'string' && parts.templates.length > 0)
    if (isOpen) fits.push({ kind, fit: fromOpen(kind, shape, spot) })
    else if (literals(kind).length > 0) fits.push({ kind, fit: fromLiterals(kind, literals(kind), shape, spot) })
  }
  if (parts.bigint || brands('bigint')) fits.push({ kind: 'bigint', fit: fromBigint(shape, spot) })
  if (parts.others.length > 0) {
    const nothing = failing('TG4214', `${spoken(spot.label, 'the answer')} is nothing that JSON carries`)
    fits.push({ kind: 'object', fit: nothing })
  }
  return fits
}

function fromOpen(type: 'string' | 'number' | 'boolean', shape: Shape, spot: Spot): Fit {
  // An integer is a number to TypeScript; the result codec refuses a fraction.
  if (shape.kind === type) return passing
  if (shape.kind === 'literals') {
    const allowed = shape.values.filter((value) => typeof value === type)
    if (type === 'boolean' && allowed.length === 2) return passing
    if (allowed.length > 0) {
      return doubtful(
        'TG4206',
        `${spoken(spot.label, 'the answer')} is any ${type} where the tool allows ${describeShape(shape)}`,
      )
    }
  }
  return differ(type, shape, spot)
}

function fromLiterals(type: string, literals: readonly LiteralPart[], shape: Shape, spot: Spot): Fit {
  if (shape.kind === 'number' && shape.integer) {
    const whole = literals.every(({ value }) => Number.isInteger(value))
    return whole ? passing : differ(type, shape, spot)
  }
  if (shape.kind === type) return passing
  if (shape.kind !== 'literals') return differ(type, shape, spot)
  const extra = literals.filter(({ value }) => !shape.values.includes(value))
  const draft = literals.some(({ isEnumMember }) => isEnumMember)
    ? ({ kind: 'cast' } as const)
    : ({ kind: 'pass' } as const)
  if (extra.length === 0) return fitting(draft)
  if (extra.length === literals.length && !shape.values.some((value) => typeof value === type)) {
    return differ(type, shape, spot)
  }
  const shown = extra.slice(0, 4).map(({ value }) => JSON.stringify(value))
  const more = extra.length > shown.length ? ` and ${extra.length - shown.length} more` : ''
  const found = `${spoken(spot.label, 'the answer')} may be ${shown.join(', ')}${more}, which the tool does not allow`
  return doubtful('TG4206', found, draft)
}

function fromBigint(shape: Shape, spot: Spot): Fit {
  if (shape.kind === 'typed' && shape.type === 'bigint') return passing
  return shape.kind === 'string' ? fitting({ kind: 'scalar', name: 'bigintToString' }) : differ('bigint', shape, spot)
}

/** A built-in object that stays what it is or becomes a string; undefined where there is no such conversion. */
export function fitResultBuiltin(name: BuiltinName, shape: Shape, spot: Spot): Fit | undefined {
  const label = spoken(spot.label, 'the answer')
  if (name === 'Promise') return failing('TG4209', `${label} is a promise inside the answer; nothing awaits it`)
  if (shape.kind === 'typed') {
    const isSame = name === shape.type || (name === 'Buffer' && shape.type === 'Uint8Array')
    return isSame ? passing : differ(name === 'other' ? 'a built-in object' : name, shape, spot)
  }
  if (shape.kind !== 'string') {
    return name === 'Set' || name === 'Map'
      ? undefined
      : differ(name === 'other' ? 'a built-in object' : name, shape, spot)
  }
  const format = formatOf(shape)
  if (name === 'Date' && (format === undefined || format === 'date-time')) {
    return fitting({ kind: 'scalar', name: 'dateToDateTime' })
  }
  if (name === 'Date') return failing('TG4208', `${label} is a Date where the tool says ${describeShape(shape)}`)
  if ((name === 'Uint8Array' || name === 'Buffer') && format === 'base64') {
    return fitting({ kind: 'scalar', name: 'bytesToBase64' })
  }
  if (name === 'URL' && (format === undefined || format === 'uri'))
    return fitting({ kind: 'scalar', name: 'urlToString' })
  return differ(name === 'other' ? 'a built-in object' : name, shape, spot)
}

function differ(type: string, shape: Shape, spot: Spot): Fit {
  return failing('TG4203', `${spoken(spot.label, 'the answer')} is ${type} where the tool says ${describeShape(shape)}`)
}
