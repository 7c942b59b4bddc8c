import { flatLiteral, lineWidth, propertyNameText } from '../../text/literal.js'
import { isObject } from '../json/json.js'
import type { Json } from '../json/json-schema.js'
import type { Shape, ShapeField } from './shape.js'

/** How a type is written. */
export interface TypeTextOptions {
  /**
   * `sent`: what a caller or an executor gives away; fields that may be left out, also those with a default, accept
   * `undefined`. `read`: what an executor gets; fields with a default are there.
   */
  readonly form: 'sent' | 'read'
  /** The type's name of a definition. */
  readonly nameOf: (definition: string) => string
}

/** Types on one line, by shape: each is written once, however often its surroundings ask whether it fits. */
export type FlatTypes = Map<Shape, string | undefined>

/** The type of an object without any field. */
const nothing = '{ readonly [key: string]: never }'

/** The most fields that an object may have to stand on one line. */
const mostFlatFields = 4

/** A type on one line; absent where it is too long for any line, has descriptions to show or many fields. */
export function flatType(shape: Shape, options: TypeTextOptions, known: FlatTypes): string | undefined {
  if (known.has(shape)) return known.get(shape)
  const text = flatText(shape, options, known)
  const fitting = text === undefined || text.length > lineWidth ? undefined : text
  known.set(shape, fitting)
  return fitting
}

function flatText(shape: Shape, options: TypeTextOptions, known: FlatTypes): string | undefined {
  switch (shape.kind) {
    case 'unknown':
    case 'never':
    case 'null':
    case 'boolean':
    case 'string':
    case 'number':
      return shape.kind
    case 'typed':
      return shape.type
    case 'literals':
      return different(literalTypes(shape.values)).join(' | ') || 'never'
    case 'ref':
      return options.nameOf(shape.name)
    case 'array':
      return joined([shape.items], options, known, ([items = '']) => `readonly ${grouped(items, shape.items)}[]`)
    case 'tuple':
      return joined([...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])], options, known, (items) =>
        tupleText(shape, items),
      )
    case 'union':
      return joined(shape.variants, options, known, (variants) => different(variants).join(' | ') || 'never')
    case 'intersection':
      return joined(shape.parts, options, known, (parts) =>
        parts.map((part, index) => grouped(part, shape.parts[index])).join(' & '),
      )
    case 'object':
      return flatObject(shape, options, known)
  }
}

function flatObject(
  shape: Extract<Shape, { readonly kind: 'object' }>,
  options: TypeTextOptions,
  known: FlatTypes,
): string | undefined {
  if (shape.fields.length === 0 && shape.additional === undefined) return nothing
  if (shape.fields.length > mostFlatFields || shape.fields.some((field) => field.description !== undefined)) {
    return undefined
  }
  const inner = [...shape.fields.map((field) => field.shape), ...(shape.additional ? [shape.additional] : [])]
  return joined(inner, options, known, (types) => {
    const members = shape.fields.map(
      (field, index) => `${memberStart(field, options)} ${types[index]}${orUndefined(field, options)}`,
    )
    const index = shape.additional === undefined ? [] : [indexMember(shape.fields, shape.additional, types, options)]
    return `{ ${[...members, ...index].join('; ')} }`
  })
}

function joined(
  shapes: readonly Shape[],
  options: TypeTextOptions,
  known: FlatTypes,
  join: (texts: readonly string[]) => string,
): string | undefined {
  const texts: string[] = []
  for (const shape of shapes) {
    const text = flatType(shape, options, known)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return join(texts)
}

/** The elements of a tuple type from the texts of its items and of its rest. */
export function tupleText(shape: Extract<Shape, { readonly kind: 'tuple' }>, texts: readonly string[]): string {
  const items = shape.items.map((item, index) => {
    const text = texts[index] ?? ''
    return index < shape.required ? text : `${grouped(text, item)}?`
  })
  const rest = shape.rest === undefined ? [] : [`...${grouped(texts[shape.items.length] ?? '', shape.rest)}[]`]
  return `readonly [${[...items, ...rest].join(', ')}]`
}

/** A type as an operand of `[]`, `?` or `&`: in parentheses where it would bind less. */
export function grouped(text: string, shape: Shape | undefined): string {
  const several =
    shape?.kind === 'literals' ? literalTypes(shape.values).length > 1 : shape !== undefined && compound.has(shape.kind)
  return several ? `(${text})` : text
}

const compound: ReadonlySet<Shape['kind']> = new Set(['union', 'intersection', 'array', 'tuple'])

/** A field's name up to its colon. */
export function memberStart(field: ShapeField, options: TypeTextOptions): string {
  return `readonly ${propertyNameText(field.name)}${isPresent(field, options) ? '' : '?'}:`
}

/** What follows a field's type: a field that may be left out when sent accepts `undefined`. */
export function orUndefined(field: ShapeField, options: TypeTextOptions): string {
  return isPresent(field, options) || options.form === 'read' || field.shape.kind === 'unknown' ? '' : ' | undefined'
}

function isPresent(field: ShapeField, { form }: TypeTextOptions): boolean {
  if (field.default !== undefined) return form === 'read'
  return field.required
}

/**
 * The index signature of an open object. Declared fields must fit it, so it allows what they allow: an intersection with
 * a record would keep the undeclared fields' type apart, but no object literal could be assigned to it. Where a type
 * is too long to be repeated, it allows everything.
 *
 * @param types the types of the fields, then the one of the undeclared fields; absent where one is too long
 */
export function indexMember(
  fields: readonly ShapeField[],
  additional: Shape,
  types: readonly (string | undefined)[],
  options: TypeTextOptions,
): string {
  const start = 'readonly [key: string]:'
  const own = types.slice(fields.length)
  const all = [
    ...own,
    ...types.slice(0, fields.length),
    ...(fields.every((field) => isPresent(field, options)) ? [] : ['undefined']),
  ]
  const known = all.filter((type) => type !== undefined)
  const anything = known.length < all.length || additional.kind === 'unknown' || known.includes('unknown')
  return `${start} ${anything ? 'unknown' : different(known).join(' | ')}`
}

/** Each text once, in the order of its first appearance. */
export function different(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** The types of literals; both booleans are one type. */
export function literalTypes(values: readonly Json[]): readonly string[] {
  const hasBoth = values.includes(true) && values.includes(false)
  const types = values.map((value) => (hasBoth && typeof value === 'boolean' ? 'boolean' : literalType(value)))
  return [...new Set(types)]
}

/** A JSON value as a type. */
export function literalType(value: Json): string {
  if (Array.isArray(value)) return `readonly [${value.map(literalType).join(', ')}]`
  if (!isObject(value)) return Object.is(value, -0) ? '0' : flatLiteral(value)
  const fields = Object.entries(value).map(([key, item]) => `readonly ${propertyNameText(key)}: ${literalType(item)}`)
  return fields.length === 0 ? nothing : `{ ${fields.join('; ')} }`
}
