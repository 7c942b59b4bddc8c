import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape } from '../schema/shape.js'
import type { BuiltinName } from './builtin-types.js'
import type { Draft } from './draft.js'
import { type Fit, failing, fitting, passing } from './fit.js'
import type { ScalarConversion, ValueKind } from './plan.js'
import { reasons } from './reasons.js'
import { describeShape, formatOf, type ShapeOf } from './shapes.js'
import type { LiteralPart, TypeParts } from './type-parts.js'
import type { TypeReader } from './type-reader.js'

const stringForms: readonly (readonly [format: string, builtin: string, name: ScalarConversion])[] = [
  ['date-time', 'Date', 'dateTimeToDate'],
  ['date', 'Date', 'dateToUtcMidnight'],
  ['base64', 'Uint8Array', 'base64ToBytes'],
  ['uri', 'URL', 'stringToUrl'],
]

export function payloadTyped(
  { type }: ShapeOf<'typed'>,
  parts: TypeParts,
  target: ts.Type,
  what: string,
  reader: TypeReader,
): Fit {
  const builtins = parts.objects.map((object) => reader.builtin(object))
  // Bytes are not converted to a string, because the expected encoding is unknown.
  if (type === 'bigint' ? parts.bigint : builtins.includes(type)) return passing
  if (type === 'Date' && parts.string) return fitting({ kind: 'scalar', name: 'dateToDateTime' })
  if (type === 'bigint' && parts.string) return fitting({ kind: 'scalar', name: 'bigintToString' })
  return failing(reasons.takesOther(what, type, reader.describe(target)))
}

export function payloadScalar(
  shape: ShapeOf<'boolean' | 'string' | 'number' | 'literals'>,
  parts: TypeParts,
  type: ts.Type,
  label: string,
  reader: TypeReader,
): Fit {
  const takes = (): string => reader.describe(type)
  const narrower = (): Fit => failing(reasons.narrower(label, describeShape(shape), takes()))
  const { kind } = shape
  if (kind === 'literals') return payloadLiterals(shape.values, parts, reader) ?? narrower()
  if (parts[kind]) return passing
  if (kind === 'number' && parts.bigint && shape.integer) return fitting({ kind: 'scalar', name: 'integerToBigint' })
  if (kind === 'string') {
    const builtins = parts.objects.map((object) => reader.builtin(object))
    const form = stringForms.find(
      ([format, name]) => format === formatOf(shape) && builtins.some((each) => each === name),
    )
    if (form !== undefined) return fitting({ kind: 'scalar', name: form[2] })
    if (parts.brands.includes('string')) return failing(reasons.branded(label, takes()))
    if (builtins.includes('Date')) return failing(reasons.dateOfOtherFormat(label))
    if (parts.templates.length > 0) return narrower()
  }
  if (parts.literals.some(({ value }) => typeof value === kind)) return narrower()
  return failing(reasons.takesOther(`\`${label}\``, describeShape(shape), takes()))
}

function payloadLiterals(values: readonly Json[], parts: TypeParts, { checker }: TypeReader): Fit | undefined {
  const forms = new Set(
    values.map((value): 'pass' | 'cast' | 'bigint' | 'none' => {
      const literals = parts.literals.filter((literal) => literal.value === value)
      const isExact = literals.some(({ isEnumMember }) => !isEnumMember)
      switch (typeof value) {
        case 'boolean':
          return parts.boolean || literals.length > 0 ? 'pass' : 'none'
        case 'number':
          if (parts.number || isExact) return 'pass'
          return parts.bigint && Number.isSafeInteger(value) ? 'bigint' : 'none'
        case 'string': {
          if (parts.string || isExact) return 'pass'
          const literal = checker.getStringLiteralType(value)
          if (parts.templates.some((template) => checker.isTypeAssignableTo(literal, template))) return 'pass'
          return literals.length > 0 ? 'cast' : 'none'
        }
        default:
          return 'none'
      }
    }),
  )
  if (forms.has('none') || (forms.has('bigint') && forms.size > 1)) return undefined
  if (forms.has('bigint')) return fitting({ kind: 'scalar', name: 'integerToBigint' })
  return forms.has('cast') ? fitting({ kind: 'cast' }) : passing
}

export interface ScalarFit {
  readonly fit: Fit
  readonly kind: ValueKind
}

export function differ(type: string, shape: Shape, what: string): Fit {
  return failing(reasons.returnsOther(what, type, describeShape(shape)))
}

export function resultScalars(shape: Shape, parts: TypeParts, what: string): readonly ScalarFit[] {
  const fits: ScalarFit[] = []
  for (const kind of ['string', 'number', 'boolean'] as const) {
    const literals = parts.literals.filter(({ value }) => typeof value === kind)
    const isOpen = parts[kind] || parts.brands.includes(kind) || (kind === 'string' && parts.templates.length > 0)
    if (isOpen) fits.push({ kind, fit: fromOpen(kind, shape, what) })
    else if (literals.length > 0) fits.push({ kind, fit: fromLiterals(kind, literals, shape, what) })
  }
  if (parts.bigint || parts.brands.includes('bigint')) fits.push({ kind: 'bigint', fit: fromBigint(shape, what) })
  if (parts.others.length > 0) fits.push({ kind: 'object', fit: failing(reasons.noJson(what)) })
  return fits
}

function fromOpen(kind: 'string' | 'number' | 'boolean', shape: Shape, what: string): Fit {
  // TypeScript has no integer type; the result codec rejects a fraction.
  if (shape.kind === kind) return passing
  const allowed = shape.kind === 'literals' ? shape.values.filter((value) => typeof value === kind) : []
  if (kind === 'boolean' && allowed.length === 2) return passing
  return allowed.length > 0 ? failing(reasons.anyOfKind(what, kind, describeShape(shape))) : differ(kind, shape, what)
}

function fromLiterals(kind: string, literals: readonly LiteralPart[], shape: Shape, what: string): Fit {
  if (shape.kind === 'number' && shape.integer) {
    return literals.every(({ value }) => Number.isInteger(value)) ? passing : differ(kind, shape, what)
  }
  if (shape.kind === kind) return passing
  if (shape.kind !== 'literals') return differ(kind, shape, what)
  const extra = literals.filter(({ value }) => !shape.values.includes(value))
  const draft: Draft = { kind: literals.some(({ isEnumMember }) => isEnumMember) ? 'cast' : 'pass' }
  if (extra.length === 0) return fitting(draft)
  if (extra.length === literals.length && !shape.values.some((value) => typeof value === kind)) {
    return differ(kind, shape, what)
  }
  const shown = extra.slice(0, 4).map(({ value }) => JSON.stringify(value))
  const more = extra.length > shown.length ? ` and ${extra.length - shown.length} more` : ''
  return failing(reasons.otherValues(what, `${shown.join(', ')}${more}`), draft)
}

function fromBigint(shape: Shape, what: string): Fit {
  if (shape.kind === 'typed' && shape.type === 'bigint') return passing
  return shape.kind === 'string' ? fitting({ kind: 'scalar', name: 'bigintToString' }) : differ('bigint', shape, what)
}

const builtinForms: readonly (readonly [name: BuiltinName, format: string | undefined, to: ScalarConversion])[] = [
  ['Date', undefined, 'dateToDateTime'],
  ['Date', 'date-time', 'dateToDateTime'],
  ['Uint8Array', 'base64', 'bytesToBase64'],
  ['Buffer', 'base64', 'bytesToBase64'],
  ['URL', undefined, 'urlToString'],
  ['URL', 'uri', 'urlToString'],
]

export function resultBuiltin(name: BuiltinName, shape: Shape, what: string): Fit | undefined {
  const differs = (): Fit => differ(name === 'other' ? 'a built-in object' : name, shape, what)
  if (name === 'Promise') return failing(reasons.nestedPromise(what))
  if (shape.kind === 'typed') {
    return name === shape.type || (name === 'Buffer' && shape.type === 'Uint8Array') ? passing : differs()
  }
  if (shape.kind !== 'string') return name === 'Set' || name === 'Map' ? undefined : differs()
  const form = builtinForms.find((each) => each[0] === name && each[1] === formatOf(shape))
  if (form !== undefined) return fitting({ kind: 'scalar', name: form[2] })
  return name === 'Date' ? failing(reasons.dateAsOther(what, describeShape(shape))) : differs()
}
