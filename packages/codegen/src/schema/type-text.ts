import { docComment, flatLiteral, lineWidth, propertyNameText } from '../text.js'
import { isObject, type Json } from './json-schema.js'
import type { Shape, ShapeField } from './shape.js'

type ObjectShape = Extract<Shape, { readonly kind: 'object' }>

interface Location {
  readonly indent: number
  readonly used: number
}

export interface TypeTextOptions {
  /**
   * `sent`: the type of values that a caller or executor provides; optional fields and fields with a default accept `undefined`. `read`: the type of
   * values that an executor receives; fields with a default are always present.
   */
  readonly form: 'sent' | 'read'
  readonly nameOf: (definition: string) => string
}

export function typeText(shape: Shape, options: TypeTextOptions, location: Location = { indent: 0, used: 0 }): string {
  return new TypePrinter(options).text(shape, location)
}

export function declarationText(name: string, shape: Shape, options: TypeTextOptions): string {
  if (shape.kind === 'object' && shape.fields.length > 0) {
    return `export interface ${name} ${new TypePrinter(options).body(shape, 0)}`
  }
  const start = `export type ${name} =`
  return attached(start, typeText(shape, options, { indent: 0, used: start.length + 1 }))
}

const nothing = '{ readonly [key: string]: never }'

const maxFlatFields = 4

class TypePrinter {
  readonly #options: TypeTextOptions
  /** `undefined` if the text does not fit on one line. Without this cache, the printer would print a nested type again at each nesting level. */
  readonly #flat = new Map<Shape, string | undefined>()

  constructor(options: TypeTextOptions) {
    this.#options = options
  }

  text(shape: Shape, { indent, used }: Location): string {
    const flat = this.#flatText(shape)
    if (flat !== undefined && used + flat.length <= lineWidth) return flat
    if (shape.kind === 'object') return this.body(shape, indent)
    if (shape.kind === 'literals' || shape.kind === 'union') {
      const [first = 'never', ...others] = new Set(this.#alternatives(shape, indent + 4))
      const margin = ' '.repeat(indent + 2)
      return others.length === 0 ? first : [first, ...others].map((text) => `\n${margin}| ${text}`).join('')
    }
    return joinedText(shape, this.#options, (part) => {
      const text = this.text(part, { indent, used: 0 })
      return text.startsWith('\n') && shape.kind !== 'tuple' ? `${text}\n${' '.repeat(indent)}` : text
    })
  }

  body(shape: ObjectShape, indent: number): string {
    const margin = ' '.repeat(indent + 2)
    const fields = shape.fields.map((field) => {
      const member = this.#member(field, indent + 2)
      const description = field.description?.trim()
      return description ? `${margin}${docComment(description, indent + 2)}\n${margin}${member}` : `${margin}${member}`
    })
    const index = this.#index(shape).map((member) => `${margin}${member}`)
    return `{\n${[...fields, ...index].join('\n')}\n${' '.repeat(indent)}}`
  }

  #member(field: ShapeField, indent: number): string {
    const start = memberStart(field, this.#options)
    const end = orUndefined(field, this.#options)
    const text = this.text(field.shape, { indent, used: indent + start.length + 1 + end.length })
    const isBroken = text.startsWith('\n') && end !== ''
    return attached(start, isBroken ? `${text}\n${' '.repeat(indent + 2)}${end.trim()}` : `${text}${end}`)
  }

  #alternatives(shape: Shape, indent: number): readonly string[] {
    if (shape.kind === 'literals') return literalTypes(shape.values)
    if (shape.kind === 'union') return shape.variants.flatMap((variant) => this.#alternatives(variant, indent))
    return [this.text(shape, { indent, used: indent })]
  }

  #flatText(shape: Shape): string | undefined {
    if (this.#flat.has(shape)) return this.#flat.get(shape)
    const text = this.#written(shape)
    const fitting = text === undefined || text.length > lineWidth ? undefined : text
    this.#flat.set(shape, fitting)
    return fitting
  }

  #written(shape: Shape): string | undefined {
    if (shape.kind === 'object') return this.#flatObject(shape)
    const parts = new Map<Shape, string>()
    for (const part of partsOf(shape)) {
      const text = this.#flatText(part)
      if (text === undefined) return undefined
      parts.set(part, text)
    }
    return joinedText(shape, this.#options, (part) => parts.get(part) ?? '')
  }

  #flatObject(shape: ObjectShape): string | undefined {
    const { fields, additional } = shape
    if (fields.length === 0 && additional === undefined) return nothing
    if (fields.length > maxFlatFields || fields.some((field) => field.description !== undefined)) return undefined
    const types = fields.map((field) => this.#flatText(field.shape))
    if (types.includes(undefined) || (additional && this.#flatText(additional) === undefined)) return undefined
    const members = fields.map(
      (field, index) => `${memberStart(field, this.#options)} ${types[index]}${orUndefined(field, this.#options)}`,
    )
    return `{ ${[...members, ...this.#index(shape)].join('; ')} }`
  }

  /** TypeScript requires that the type of an index signature includes the types of all declared fields. */
  #index({ fields, additional }: ObjectShape): readonly string[] {
    if (additional === undefined) return []
    const types = [additional, ...fields.map(({ shape }) => shape)].map((shape) => this.#flatText(shape))
    if (!fields.every((field) => isPresent(field, this.#options))) types.push('undefined')
    // The type is `unknown` if the union would be too long for one line. An intersection with a record would be more precise, but TypeScript would
    // reject object literals.
    const isAny = types.includes(undefined) || additional.kind === 'unknown' || types.includes('unknown')
    return [`readonly [key: string]: ${isAny ? 'unknown' : [...new Set(types)].join(' | ')}`]
  }
}

function partsOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'array':
      return [shape.items]
    case 'tuple':
      return [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])]
    case 'union':
      return shape.variants
    case 'intersection':
      return shape.parts
    default:
      return []
  }
}

function joinedText(shape: Shape, { nameOf }: TypeTextOptions, textOf: (part: Shape) => string): string {
  const operand = (part: Shape): string => grouped(textOf(part), part)
  switch (shape.kind) {
    case 'literals':
      return [...new Set(literalTypes(shape.values))].join(' | ') || 'never'
    case 'ref':
      return nameOf(shape.name)
    case 'typed':
      return shape.type
    case 'array':
      return `readonly ${operand(shape.items)}[]`
    case 'tuple': {
      const items = shape.items.map((item, index) => (index < shape.required ? textOf(item) : `${operand(item)}?`))
      const rest = shape.rest === undefined ? [] : [`...${operand(shape.rest)}[]`]
      return `readonly [${[...items, ...rest].join(', ')}]`
    }
    case 'union':
      return [...new Set(shape.variants.map(textOf))].join(' | ') || 'never'
    case 'intersection':
      return shape.parts.map(operand).join(' & ')
    default:
      return shape.kind
  }
}

function attached(start: string, text: string): string {
  return text.startsWith('\n') ? `${start}${text}` : `${start} ${text}`
}

function grouped(text: string, shape: Shape | undefined): string {
  const isOperator =
    shape?.kind === 'literals'
      ? literalTypes(shape.values).length > 1 || text.startsWith('readonly ')
      : shape !== undefined && compound.has(shape.kind)
  return isOperator ? `(${text})` : text
}

const compound: ReadonlySet<Shape['kind']> = new Set(['union', 'intersection', 'array', 'tuple'])

function memberStart(field: ShapeField, options: TypeTextOptions): string {
  return `readonly ${propertyNameText(field.name)}${isPresent(field, options) ? '' : '?'}:`
}

function orUndefined(field: ShapeField, options: TypeTextOptions): string {
  return isPresent(field, options) || options.form === 'read' || field.shape.kind === 'unknown' ? '' : ' | undefined'
}

function isPresent(field: ShapeField, { form }: TypeTextOptions): boolean {
  if (field.default !== undefined) return form === 'read'
  return field.required
}

function literalTypes(values: readonly Json[]): readonly string[] {
  const hasBoth = values.includes(true) && values.includes(false)
  const types = values.map((value) => (hasBoth && typeof value === 'boolean' ? 'boolean' : literalType(value)))
  return [...new Set(types)]
}

function literalType(value: Json): string {
  if (Array.isArray(value)) return `readonly [${value.map(literalType).join(', ')}]`
  if (!isObject(value)) return Object.is(value, -0) ? '0' : flatLiteral(value)
  const fields = Object.entries(value).map(([key, item]) => `readonly ${propertyNameText(key)}: ${literalType(item)}`)
  return fields.length === 0 ? nothing : `{ ${fields.join('; ')} }`
}
