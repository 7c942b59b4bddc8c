import type { ts } from 'ts-morph'
import type { Json } from '../../ir/types.js'
import { type Fit, failing, fitting, passing, type Spot, type Walk } from '../match/fit.js'
import { describeShape, formatOf, type ShapeOf } from '../match/shape-views.js'
import type { ScalarConversion } from '../plan/plan.js'
import { partsOf, type TypeParts } from '../types/type-parts.js'
import { type BuiltinName, builtinName, describeType } from '../types/type-reader.js'

type Scalar = ShapeOf<'boolean' | 'string' | 'number' | 'literals'>

/** A payload's string, number, boolean or literal against the type it goes to. */
export function fitPayloadScalar(shape: Scalar, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const parts = partsOf(type, walk.reader)
  const differ = (): Fit =>
    failing(
      'TG4103',
      `\`${spot.label}\` is ${describeShape(shape)}, the method takes ${describeType(type, walk.reader)}`,
    )
  switch (shape.kind) {
    case 'boolean':
      if (parts.boolean) return passing
      return parts.literals.some(({ value }) => typeof value === 'boolean')
        ? narrower(shape, type, walk, spot)
        : differ()
    case 'number':
      if (parts.number) return passing
      if (parts.bigint && shape.integer) return fitting({ kind: 'scalar', name: 'integerToBigint' })
      if (parts.literals.some(({ value }) => typeof value === 'number')) return narrower(shape, type, walk, spot)
      return differ()
    case 'string':
      return fitString(shape, type, parts, walk, spot) ?? differ()
    default:
      return fitLiterals(shape.values, type, parts, walk) ?? narrower(shape, type, walk, spot)
  }
}

function narrower(shape: Scalar, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const takes = describeType(type, walk.reader)
  return failing('TG4106', `\`${spot.label}\` is ${describeShape(shape)}, the method takes only ${takes}`)
}

function fitString(shape: Scalar, type: ts.Type, parts: TypeParts, walk: Walk, spot: Spot): Fit | undefined {
  if (parts.string) return passing
  const builtins = new Set(parts.objects.map((object) => builtinName(object, walk.reader)))
  const scalar = conversionOfString(formatOf(shape), builtins)
  if (scalar !== undefined) return fitting({ kind: 'scalar', name: scalar })
  const brand = parts.brands.find(({ base }) => base === 'string')
  if (brand !== undefined) {
    return failing('TG4107', `\`${spot.label}\` is a plain string, the method takes ${describeType(type, walk.reader)}`)
  }
  if (builtins.has('Date')) {
    return failing('TG4108', `\`${spot.label}\` goes to a Date, but its format is neither date-time nor date`)
  }
  const isNarrow = parts.templates.length > 0 || parts.literals.some(({ value }) => typeof value === 'string')
  return isNarrow ? narrower(shape, type, walk, spot) : undefined
}

function conversionOfString(
  format: string | undefined,
  builtins: ReadonlySet<BuiltinName | undefined>,
): ScalarConversion | undefined {
  if (format === 'date-time' && builtins.has('Date')) return 'dateTimeToDate'
  if (format === 'date' && builtins.has('Date')) return 'dateToUtcMidnight'
  if (format === 'base64' && builtins.has('Uint8Array')) return 'base64ToBytes'
  if (format === 'uri' && builtins.has('URL')) return 'stringToUrl'
  return undefined
}

/** Every value must be accepted; members of a string enum need a cast. */
function fitLiterals(values: readonly Json[], type: ts.Type, parts: TypeParts, walk: Walk): Fit | undefined {
  const kinds = values.map((value) => literalKind(value, type, parts, walk))
  if (kinds.every((kind) => kind === 'pass')) return passing
  if (kinds.every((kind) => kind === 'bigint')) return fitting({ kind: 'scalar', name: 'integerToBigint' })
  return kinds.every((kind) => kind === 'pass' || kind === 'cast') ? fitting({ kind: 'cast' }) : undefined
}

function literalKind(
  value: Json,
  _type: ts.Type,
  parts: TypeParts,
  walk: Walk,
): 'pass' | 'cast' | 'bigint' | undefined {
  const { checker } = walk.reader
  if (typeof value === 'boolean') {
    return parts.boolean || parts.literals.some((literal) => literal.value === value) ? 'pass' : undefined
  }
  if (typeof value === 'number') {
    if (parts.number) return 'pass'
    if (parts.literals.some((literal) => literal.value === value && !literal.isEnumMember)) return 'pass'
    return parts.bigint && Number.isSafeInteger(value) ? 'bigint' : undefined
  }
  if (typeof value !== 'string') return undefined
  if (parts.string || parts.literals.some((literal) => literal.value === value && !literal.isEnumMember)) return 'pass'
  const literal = checker.getStringLiteralType(value)
  if (parts.templates.some((template) => checker.isTypeAssignableTo(literal, template))) return 'pass'
  return parts.literals.some((each) => each.value === value) ? 'cast' : undefined
}
