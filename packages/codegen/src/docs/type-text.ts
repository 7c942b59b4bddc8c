import type { JsType } from '@toolgen/runtime/schema'
import type { Schema } from '../ir/types.js'
import { own } from '../schema/json-schema.js'
import { resolveShape, type Shape, shapeOf } from '../schema/shape.js'
import { code, type Inline, joined, type Line, link } from './page.js'

/** Context for describing a type. */
export interface TypeContext {
  readonly defs: Readonly<Record<string, Schema>>
  /** The definitions that have a section of their own, with its anchor. */
  readonly anchors: ReadonlyMap<string, string>
  /** The definitions without a section that are gone into right now: one that contains itself is named there, no more. */
  readonly within?: readonly string[]
}

/** The context of what a definition without a section leads to; `undefined` where that is gone into already. */
export function contextWithin(name: string, context: TypeContext): TypeContext | undefined {
  const { within = [] } = context
  return within.includes(name) ? undefined : { ...context, within: [...within, name] }
}

/** Longer lists of values are cut; the JSON Schema has them all. */
const mostValues = 40

const typedWords: Readonly<Record<JsType, Line>> = {
  Date: ['date and time (', code('Date'), ' in code)'],
  bigint: ['whole number of any size, written as text (', code('bigint'), ' in code)'],
  Uint8Array: ['bytes, written in base64 (', code('Uint8Array'), ' in code)'],
}

const formatWords: ReadonlyMap<string, string> = new Map([
  ['date-time', 'date and time'],
  ['date', 'date'],
  ['time', 'time'],
  ['duration', 'duration'],
  ['email', 'e-mail address'],
  ['uri', 'address (URI)'],
  ['uri-reference', 'address (URI), may be relative'],
  ['uuid', 'UUID'],
  ['ipv4', 'IPv4 address'],
  ['ipv6', 'IPv6 address'],
  ['hostname', 'host name'],
  ['regex', 'regular expression'],
])

/** A type in plain words, e.g. `list of objects`; definitions with fields are links to their sections. */
export function typeWords(shape: Shape, context: TypeContext): Line {
  return words(shape, context, 'one')
}

function words(shape: Shape, context: TypeContext, number: 'one' | 'many'): Line {
  const many = number === 'many'
  switch (shape.kind) {
    case 'unknown':
      return [many ? 'any values' : 'any value']
    case 'never':
      return ['nothing']
    case 'null':
      return [code('null')]
    case 'boolean':
      return ['true or false']
    case 'string':
      return [textWords(shape, many)]
    case 'typed':
      return typedWords[shape.type]
    case 'number':
      return [`${shape.integer ? 'whole number' : 'number'}${many ? 's' : ''}`]
    case 'literals':
      return literalWords(shape.values.map((value) => JSON.stringify(value)))
    case 'array':
      return [many ? 'lists of ' : 'list of ', ...words(shape.items, context, 'many')]
    case 'tuple': {
      const items = shape.items.map((item) => words(item, context, 'one'))
      const rest = shape.rest === undefined ? [] : [['then ', ...words(shape.rest, context, 'many')]]
      return [many ? 'lists of ' : 'list of ', ...joined([...items, ...rest], ', ')]
    }
    case 'object':
      return objectWords(shape, context, many)
    case 'union':
      return alternatives(shape.variants.map((variant) => words(variant, context, number)))
    case 'intersection':
      return joined(different(shape.parts.map((part) => words(part, context, number))), ' and ')
    case 'ref': {
      const anchor = context.anchors.get(shape.name)
      if (anchor !== undefined) return [link(anchor, code(shape.name))]
      const inside = contextWithin(shape.name, context)
      return inside === undefined ? [code(shape.name)] : words(resolveShape(shape, context.defs), inside, number)
    }
  }
}

function textWords({ schema }: Shape, many: boolean): string {
  const format = own(schema, 'format')
  const named = typeof format === 'string' ? formatWords.get(format) : undefined
  return named ?? (many ? 'texts' : 'text')
}

function literalWords(values: readonly string[]): Line {
  const shown = values.slice(0, mostValues).map((value) => [code(value)])
  const left = values.length - shown.length
  return left > 0 ? [...joined(shown, ', '), `, or one of ${left} more`] : alternatives(shown)
}

function objectWords(shape: Extract<Shape, { kind: 'object' }>, context: TypeContext, many: boolean): Line {
  const { fields, additional } = shape
  if (fields.length > 0 || additional === undefined) return [many ? 'objects' : 'object']
  if (additional.kind === 'unknown') return [many ? 'objects with any fields' : 'object with any fields']
  return [`${many ? 'objects' : 'object'} whose values are `, ...words(additional, context, 'many')]
}

function alternatives(lines: readonly Line[]): Line {
  const all = different(lines)
  const last = all.at(-1)
  if (all.length < 2 || last === undefined) return all[0] ?? ['nothing']
  return [...joined(all.slice(0, -1), ', '), ' or ', ...last]
}

function different(lines: readonly Line[]): readonly Line[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()]
}

/** The shape of a definition. */
export function definitionShape(name: string, defs: Readonly<Record<string, Schema>>): Shape {
  return shapeOf(defs[name] ?? true, defs)
}

/** A JSON value within a line. */
export function jsonCode(value: unknown): Inline {
  return code(JSON.stringify(value))
}
