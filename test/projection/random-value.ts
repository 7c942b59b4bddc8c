import fc from 'fast-check'
import { formatTexts, patterns } from './random-schema.js'

type Schema = Readonly<Record<string, unknown>>
/** Generates a value of an arbitrary. */
export type Draw = fc.GeneratorValue

const DEEPEST = 5

/** Returns a value for a strict schema. The value can violate minimum or maximum constraints. */
export function sampleOf(schema: Schema, root: Schema, draw: Draw, depth: number = 0): unknown {
  if (typeof schema.$ref === 'string') {
    const definitions = isSchema(root.$defs) ? root.$defs : {}
    const target = definitions[schema.$ref.replace('#/$defs/', '')]
    return isSchema(target) ? sampleOf(target, root, draw, depth + 1) : undefined
  }
  if (Array.isArray(schema.anyOf)) {
    const variants: readonly Schema[] = schema.anyOf
    const nothing = variants.find((variant) => variant.type === 'null')
    if (depth > DEEPEST && nothing !== undefined) return null
    const [first] = variants
    const at = depth > DEEPEST ? 0 : draw(fc.nat, { max: variants.length - 1 })
    return sampleOf(variants[at] ?? first ?? {}, root, draw, depth + 1)
  }
  if (Object.hasOwn(schema, 'const')) return schema.const
  if (Array.isArray(schema.enum)) return draw(fc.constantFrom<unknown[]>, ...schema.enum)
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type]
  const type = types.includes('null') && depth > DEEPEST ? 'null' : draw(fc.constantFrom<unknown[]>, ...types)
  switch (type) {
    case 'string':
      return textOf(schema, draw)
    case 'integer':
    case 'number':
      return numberOf(schema, draw)
    case 'boolean':
      return draw(fc.boolean)
    case 'array': {
      const least = typeof schema.minItems === 'number' ? schema.minItems : 0
      const most = typeof schema.maxItems === 'number' ? schema.maxItems : least + 2
      const length = depth > DEEPEST ? least : draw(fc.integer, { min: least, max: most })
      const { items } = schema
      return Array.from({ length }, () => (isSchema(items) ? sampleOf(items, root, draw, depth + 1) : null))
    }
    case 'object': {
      const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : []
      const entries = properties.map(([name, field]) => [
        name,
        isSchema(field) ? sampleOf(field, root, draw, depth + 1) : null,
      ])
      return Object.fromEntries(entries)
    }
    default:
      return null
  }
}

function textOf(schema: Schema, draw: Draw): string {
  const made = patterns.get(String(schema.pattern)) ?? formatTexts.get(String(schema.format))
  return made ?? draw(fc.string, { maxLength: 6 })
}

function numberOf(schema: Schema, draw: Draw): number {
  const least = typeof schema.minimum === 'number' ? schema.minimum : -9
  const most = typeof schema.exclusiveMaximum === 'number' ? schema.exclusiveMaximum - 1 : 30
  const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : 1
  return Math.ceil(draw(fc.integer, { min: least, max: most }) / step) * step
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
