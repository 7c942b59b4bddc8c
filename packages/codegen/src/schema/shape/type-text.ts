import { docComment } from '../../text/doc-comment.js'
import { lineWidth } from '../../text/literal.js'
import {
  different,
  type FlatTypes,
  flatType,
  grouped,
  indexMember,
  literalTypes,
  memberStart,
  orUndefined,
  type TypeTextOptions,
  tupleText,
} from './flat-type.js'
import type { Shape, ShapeField } from './shape.js'

export type { TypeTextOptions } from './flat-type.js'

type ObjectShape = Extract<Shape, { readonly kind: 'object' }>

/** What is the same for all parts of one type. */
interface Printing {
  readonly options: TypeTextOptions
  readonly flat: FlatTypes
}

/** Where a type begins, in columns. */
interface Place {
  /** How far the line is indented on which the type begins. */
  readonly indent: number
  /** How much of that line is taken already. */
  readonly used: number
}

/**
 * A type as TypeScript. Everything is readonly; descriptions become doc comments; what does not fit on its line is
 * broken. A union that is broken begins with a line break.
 */
export function typeText(shape: Shape, options: TypeTextOptions, place: Place = { indent: 0, used: 0 }): string {
  return textOf(shape, { options, flat: new Map() }, place)
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

function textOf(shape: Shape, printing: Printing, place: Place): string {
  const flat = flatType(shape, printing.options, printing.flat)
  if (flat !== undefined && place.used + flat.length <= lineWidth) return flat
  switch (shape.kind) {
    case 'array':
      return `readonly ${operand(shape.items, printing, place.indent)}[]`
    case 'tuple': {
      const inner = [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])]
      return tupleText(
        shape,
        inner.map((item) => textOf(item, printing, { indent: place.indent, used: 0 })),
      )
    }
    case 'object':
      return bodyText(shape, printing, place.indent)
    case 'literals':
    case 'union':
      return unionText(alternativesOf(shape, printing, place.indent + 4), place.indent)
    case 'intersection':
      return shape.parts.map((part) => operand(part, printing, place.indent)).join(' & ')
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
