import type { Json, Schema, SchemaObject } from '../../../packages/codegen/src/schema/json-schema.js'
import type { SchemaCase } from './compiled-codecs.js'
import type { Random } from './random.js'

/** Property names. The list is short, so that schemas and values have common names. Some are hostile. */
export const fieldNames: readonly string[] = ['a', 'b', 'c', 'kind', 'x-1', 'constructor', '__proto__', 'toString', 'é']
const literals: readonly Json[] = [0, 1, 1.5, -3, '', 'a', 'b', 'card', true, false, null]
const patterns: readonly string[] = ['^a', 'b$', '^[a-c]+$', '\\d', '^\\p{L}+$', '/']
/** Formats that independent implementations validate equally for the tested texts. */
export const formats: readonly string[] = ['uuid', 'date', 'ipv4', 'date-time', 'email', 'time']

/** Schemas of texts that represent values of JavaScript types. */
const typedTexts: readonly SchemaObject[] = [
  { type: 'string', format: 'date-time', 'x-js': 'Date' },
  { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' },
  { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' },
]

/** Returns a random schema with some definitions that can reference each other. */
export function randomCase(random: Random): SchemaCase {
  const names = random.list(0, 2, (index) => `D${index}`)
  const maker = new SchemaMaker(random, names)
  const defs = Object.fromEntries(names.map((name) => [name, maker.object(2)]))
  return { schema: maker.schema(3), defs }
}

class SchemaMaker {
  readonly #random: Random
  readonly #names: readonly string[]

  constructor(random: Random, names: readonly string[]) {
    this.#random = random
    this.#names = names
  }

  schema(depth: number): Schema {
    const random = this.#random
    if (random.chance(0.04)) return true
    if (random.chance(0.01)) return false
    const made = this.#shape(depth)
    return random.chance(0.2) ? { ...made, ...this.#besides(depth) } : made
  }

  object(depth: number): SchemaObject {
    const random = this.#random
    const names = random.some(fieldNames, 0.35).filter((name) => name !== '__proto__' || random.chance(0.2))
    const properties = Object.fromEntries(names.map((name) => [name, this.#field(depth - 1)]))
    return {
      type: 'object',
      ...(random.chance(0.9) ? { properties } : {}),
      ...(random.chance(0.7) ? { required: random.some(random.chance(0.9) ? names : fieldNames, 0.5) } : {}),
      ...(random.chance(0.25)
        ? { additionalProperties: random.chance(0.6) ? random.chance(0.6) : this.schema(depth - 1) }
        : {}),
      ...(random.chance(0.08) ? { patternProperties: { [random.pick(patterns)]: this.schema(depth - 1) } } : {}),
      ...(random.chance(0.05) ? { propertyNames: { maxLength: 3 } } : {}),
      ...(random.chance(0.03) ? { unevaluatedProperties: random.chance(0.5) } : {}),
      ...(random.chance(0.06) ? { minProperties: random.below(3) } : {}),
      ...(random.chance(0.06) ? { maxProperties: 1 + random.below(4) } : {}),
      ...(random.chance(0.05) ? { dependentRequired: { [random.pick(fieldNames)]: [random.pick(fieldNames)] } } : {}),
    }
  }

  #field(depth: number): Schema {
    const schema = this.schema(depth)
    if (typeof schema === 'boolean' || !this.#random.chance(0.15)) return schema
    return { ...schema, default: this.#random.pick<Json>([...literals, [], {}, { a: 1 }]) }
  }

  #shape(depth: number): SchemaObject {
    const random = this.#random
    if (depth > 0 && this.#names.length > 0 && random.chance(0.12))
      return { $ref: `#/$defs/${random.pick(this.#names)}` }
    const choice = random.below(depth > 0 ? 14 : 6)
    switch (choice) {
      case 0:
        return this.#text()
      case 1:
        return this.#number()
      case 2:
        return { type: random.pick(['boolean', 'null']) }
      case 3:
        return random.chance(0.5)
          ? { const: random.pick(literals) }
          : { enum: [...new Set(random.list(1, 14, () => random.pick(literals)))] }
      case 4:
        return {
          type: [
            ...new Set(
              random.list(1, 3, () => random.pick(['string', 'number', 'null', 'boolean', 'object', 'array'])),
            ),
          ],
        }
      case 5:
        return { ...this.#text(), type: ['string', 'null'] }
      case 6:
      case 7:
        return this.#array(depth)
      case 8:
        return this.#union(depth)
      case 9:
        return this.#tagged(depth)
      case 10:
        return { allOf: random.list(1, 2, () => this.object(depth - 1)) }
      default:
        return this.object(depth)
    }
  }

  #text(): SchemaObject {
    const random = this.#random
    if (random.chance(0.12)) return random.pick(typedTexts)
    return {
      type: 'string',
      ...(random.chance(0.3) ? { minLength: random.below(3) } : {}),
      ...(random.chance(0.3) ? { maxLength: 1 + random.below(4) } : {}),
      ...(random.chance(0.2) ? { pattern: random.pick(patterns) } : {}),
      ...(random.chance(0.2) ? { format: random.pick(formats) } : {}),
    }
  }

  #number(): SchemaObject {
    const random = this.#random
    return {
      type: random.pick(['integer', 'number']),
      ...(random.chance(0.3) ? { minimum: random.below(3) - 1 } : {}),
      ...(random.chance(0.3) ? { maximum: random.below(5) } : {}),
      ...(random.chance(0.1) ? { exclusiveMinimum: -1 } : {}),
      ...(random.chance(0.1) ? { exclusiveMaximum: 4 } : {}),
      ...(random.chance(0.1) ? { multipleOf: random.pick([0.5, 2]) } : {}),
    }
  }

  #array(depth: number): SchemaObject {
    const random = this.#random
    const rest = random.chance(0.85) ? { items: this.schema(depth - 1) } : {}
    return {
      type: 'array',
      ...rest,
      ...(random.chance(0.25) ? { minItems: random.below(3) } : {}),
      ...(random.chance(0.25) ? { maxItems: 1 + random.below(3) } : {}),
      ...(random.chance(0.1) ? { uniqueItems: true } : {}),
      // `prefixItems` and `contains` are not combined, and `contains` is never `true`: Ajv would accept an empty array.
      ...(random.chance(0.2)
        ? { prefixItems: random.list(1, 2, () => this.schema(depth - 1)) }
        : random.chance(0.1)
          ? { contains: this.#shape(0), ...(random.chance(0.5) ? { maxContains: 2 } : {}) }
          : {}),
    }
  }

  #union(depth: number): SchemaObject {
    const random = this.#random
    const isOpen = random.chance(0.2)
    const variants = random.list(1, 3, () =>
      isOpen ? { ...this.object(depth - 1), additionalProperties: true } : this.schema(depth - 1),
    )
    return random.chance(0.7) ? { anyOf: variants } : { oneOf: variants }
  }

  #tagged(depth: number): SchemaObject {
    const random = this.#random
    const variants = ['card', 'b', 1].slice(0, 2 + random.below(2)).map((tag): SchemaObject => {
      const object = this.object(depth - 1)
      const { properties } = object
      const fields = typeof properties === 'object' ? properties : {}
      return {
        ...object,
        properties: { ...fields, kind: { const: tag } },
        required: ['kind'],
      }
    })
    return { [random.pick(['anyOf', 'oneOf'])]: variants }
  }

  #besides(depth: number): SchemaObject {
    const random = this.#random
    switch (random.below(9)) {
      case 0:
        return { not: this.schema(0) }
      case 1:
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        return { if: this.schema(depth - 1), then: this.schema(0), else: this.schema(0) }
      case 2:
        return { anyOf: [{ required: [random.pick(fieldNames)] }, { required: [random.pick(fieldNames)] }] }
      case 3:
        return { allOf: [this.schema(depth - 1)] }
      case 4:
        return { description: 'Something' }
      case 5:
        return { dependentSchemas: { [random.pick(fieldNames)]: this.schema(0) } }
      case 6:
        return { unevaluatedProperties: random.chance(0.7) ? false : this.schema(0) }
      case 7:
        return { unevaluatedItems: random.chance(0.7) ? false : this.schema(0) }
      default:
        return { oneOf: random.list(1, 2, () => this.schema(depth - 1)) }
    }
  }
}
