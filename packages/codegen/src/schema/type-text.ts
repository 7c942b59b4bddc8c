import { docComment, flatLiteral, lineWidth, propertyNameText } from '../text.js'
import { isObject, type Json } from './json-schema.js'
import type { Shape, ShapeField } from './shape.js'

type ObjectShape = Extract<Shape, { readonly kind: 'object' }>

/** Options and memory for all parts of one type. */
interface Printing {
  readonly options: TypeTextOptions
  readonly flat: FlatTypes
}

/** Column at which a type begins. */
interface Location {
  /** Indentation of the line on which the type begins. */
  readonly indent: number
  /** Number of columns that are taken on that line. */
  readonly used: number
}

/**
 * A type as TypeScript. Everything is readonly; descriptions become doc comments; what does not fit on its line is
 * broken. A union that is broken begins with a line break.
 */
export function typeText(shape: Shape, options: TypeTextOptions, location: Location = { indent: 0, used: 0 }): string {
  return textOf(shape, { options, flat: new Map() }, location)
}

/**
 * An exported declaration of a type: an interface for an object, else an alias.
 *
 * @example
 * declarationText('GetOrderResult', shape, { form: 'sent', nameOf })
 * // export interface GetOrderResult {
 * //   readonly id: string
 * // }
 */
export function declarationText(name: string, shape: Shape, options: TypeTextOptions): string {
  if (shape.kind === 'object' && shape.fields.length > 0) {
    return `export interface ${name} ${bodyText(shape, { options, flat: new Map() }, 0)}`
  }
  const start = `export type ${name} =`
  return attached(start, typeText(shape, options, { indent: 0, used: start.length + 1 }))
}

function textOf(shape: Shape, printing: Printing, location: Location): string {
  const flat = flatType(shape, printing.options, printing.flat)
  if (flat !== undefined && location.used + flat.length <= lineWidth) return flat
  switch (shape.kind) {
    case 'array':
      return `readonly ${operand(shape.items, printing, location.indent)}[]`
    case 'tuple': {
      const inner = [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])]
      return tupleText(
        shape,
        inner.map((item) => textOf(item, printing, { indent: location.indent, used: 0 })),
      )
    }
    case 'object':
      return bodyText(shape, printing, location.indent)
    case 'literals':
    case 'union':
      return unionText(alternativesOf(shape, printing, location.indent + 4), location.indent)
    case 'intersection':
      return shape.parts.map((part) => operand(part, printing, location.indent)).join(' & ')
    case 'ref':
      return printing.options.nameOf(shape.name)
    default:
      return shape.kind === 'typed' ? shape.type : shape.kind
  }
}

function operand(shape: Shape, printing: Printing, indent: number): string {
  const text = textOf(shape, printing, { indent, used: 0 })
  return grouped(text.startsWith('\n') ? `${text}\n${' '.repeat(indent)}` : text, shape)
}

/** The alternatives of a union, those of inner unions among them. */
function alternativesOf(shape: Shape, printing: Printing, indent: number): readonly string[] {
  if (shape.kind === 'literals') return literalTypes(shape.values)
  if (shape.kind === 'union') return shape.variants.flatMap((variant) => alternativesOf(variant, printing, indent))
  return [textOf(shape, printing, { indent, used: indent })]
}

/** A union with each alternative on its own line. */
function unionText(alternatives: readonly string[], indent: number): string {
  const [first = 'never', ...others] = different(alternatives)
  if (others.length === 0) return first
  const margin = ' '.repeat(indent + 2)
  return [first, ...others].map((text) => `\n${margin}| ${text}`).join('')
}

/** The braces of an object type with one member per line. */
function bodyText(shape: ObjectShape, printing: Printing, indent: number): string {
  const margin = ' '.repeat(indent + 2)
  const members = membersOf(shape, printing, indent + 2)
  const lines = members.map((member, index) => {
    const description = shape.fields[index]?.description?.trim()
    return description ? `${margin}${docComment(description, indent + 2)}\n${margin}${member}` : `${margin}${member}`
  })
  return `{\n${lines.join('\n')}\n${' '.repeat(indent)}}`
}

function membersOf(shape: ObjectShape, printing: Printing, indent: number): readonly string[] {
  const fields = shape.fields.map((field) => memberText(field, printing, indent))
  if (shape.additional === undefined) return fields
  const types = [...shape.fields.map((field) => field.shape), shape.additional].map((type) =>
    flatType(type, printing.options, printing.flat),
  )
  return [...fields, indexMember(shape.fields, shape.additional, types, printing.options)]
}

function memberText(field: ShapeField, printing: Printing, indent: number): string {
  const start = memberStart(field, printing.options)
  const end = orUndefined(field, printing.options)
  const text = textOf(field.shape, printing, { indent, used: indent + start.length + 1 + end.length })
  return attached(
    start,
    text.startsWith('\n') && end !== '' ? `${text}\n${' '.repeat(indent + 2)}${end.trim()}` : `${text}${end}`,
  )
}

/** A type behind what it belongs to; one that is broken begins on the next line. */
function attached(start: string, text: string): string {
  return text.startsWith('\n') ? `${start}${text}` : `${start} ${text}`
}

/** Options for printing a type. */
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
type FlatTypes = Map<Shape, string | undefined>

/** The type of an object without any field. */
const nothing = '{ readonly [key: string]: never }'

/** The most fields that an object may have to stand on one line. */
const mostFlatFields = 4

/** A type on one line; absent where it is too long for any line, has descriptions to show or many fields. */
function flatType(shape: Shape, options: TypeTextOptions, known: FlatTypes): string | undefined {
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
function tupleText(shape: Extract<Shape, { readonly kind: 'tuple' }>, texts: readonly string[]): string {
  const items = shape.items.map((item, index) => {
    const text = texts[index] ?? ''
    return index < shape.required ? text : `${grouped(text, item)}?`
  })
  const rest = shape.rest === undefined ? [] : [`...${grouped(texts[shape.items.length] ?? '', shape.rest)}[]`]
  return `readonly [${[...items, ...rest].join(', ')}]`
}

/** A type as an operand of `[]`, `?` or `&`: in parentheses where it would bind less. */
function grouped(text: string, shape: Shape | undefined): string {
  const several =
    shape?.kind === 'literals' ? literalTypes(shape.values).length > 1 : shape !== undefined && compound.has(shape.kind)
  return several ? `(${text})` : text
}

const compound: ReadonlySet<Shape['kind']> = new Set(['union', 'intersection', 'array', 'tuple'])

/** A field's name up to its colon. */
function memberStart(field: ShapeField, options: TypeTextOptions): string {
  return `readonly ${propertyNameText(field.name)}${isPresent(field, options) ? '' : '?'}:`
}

/** Returns the suffix of a field's type: a field that may be absent when sent accepts `undefined`. */
function orUndefined(field: ShapeField, options: TypeTextOptions): string {
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
function indexMember(
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
function different(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** The types of literals; both booleans are one type. */
function literalTypes(values: readonly Json[]): readonly string[] {
  const hasBoth = values.includes(true) && values.includes(false)
  const types = values.map((value) => (hasBoth && typeof value === 'boolean' ? 'boolean' : literalType(value)))
  return [...new Set(types)]
}

/** A JSON value as a type. */
function literalType(value: Json): string {
  if (Array.isArray(value)) return `readonly [${value.map(literalType).join(', ')}]`
  if (!isObject(value)) return Object.is(value, -0) ? '0' : flatLiteral(value)
  const fields = Object.entries(value).map(([key, item]) => `readonly ${propertyNameText(key)}: ${literalType(item)}`)
  return fields.length === 0 ? nothing : `{ ${fields.join('; ')} }`
}
