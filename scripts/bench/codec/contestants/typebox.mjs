import { FormatRegistry, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import { fullFormats } from 'ajv-formats/dist/formats.js'

// TypeBox defines no formats, so it uses the formats of Ajv.
for (const format of ['date-time', 'date', 'uuid', 'email']) {
  const rule = fullFormats[format].validate ?? fullFormats[format]
  FormatRegistry.Set(format, (text) => (rule instanceof RegExp ? rule.test(text) : rule(text)))
}

const text = (minLength, maxLength) => Type.String({ minLength, maxLength })
const oneOf = (...values) => Type.Union(values.map((value) => Type.Literal(value)))
const dateTime = Type.String({ format: 'date-time' })
const currency = oneOf('EUR', 'USD', 'GBP')
const tags = Type.Array(text(1, 30), { maxItems: 10 })

/**
 * `unknownKeys` sets `additionalProperties`. `Value.Clean` always drops unknown keys, but with `additionalProperties: false` it does not recognize
 * the variants of a union.
 */
function schemasWith(unknownKeys) {
  const object = (fields) => Type.Object(fields, unknownKeys)
  const address = object({
    street: text(1, 120),
    city: text(1, 80),
    postalCode: text(3, 10),
    country: text(2, 2),
    state: Type.Optional(text(0, 40)),
  })
  const item = object({
    sku: text(1, 32),
    name: text(1, 120),
    quantity: Type.Integer({ minimum: 1, maximum: 1000 }),
    unitPrice: Type.Number({ minimum: 0 }),
    taxRate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    tags: Type.Optional(tags),
    note: Type.Optional(text(0, 500)),
  })
  const payment = Type.Union([
    object({
      type: Type.Literal('card'),
      network: oneOf('visa', 'mastercard', 'amex'),
      last4: text(4, 4),
      expires: Type.String({ format: 'date' }),
    }),
    object({ type: Type.Literal('transfer'), iban: text(15, 34), bic: Type.Optional(text(0, 11)) }),
    object({
      type: Type.Literal('wallet'),
      provider: oneOf('apple', 'google', 'paypal'),
      email: Type.String({ format: 'email' }),
    }),
  ])
  const record = object({
    id: Type.Integer({ minimum: 1 }),
    name: text(1, 80),
    active: Type.Boolean(),
    score: Type.Number({ minimum: 0, maximum: 100 }),
    status: oneOf('open', 'shipped', 'returned', 'closed'),
    owner: text(1, 40),
    createdAt: dateTime,
    note: Type.Optional(text(0, 200)),
  })
  return {
    small: object({
      reference: text(1, 40),
      title: text(1, 80),
      quantity: Type.Integer({ minimum: 1, maximum: 1000 }),
      price: Type.Number({ minimum: 0 }),
      gift: Type.Boolean(),
      currency,
      note: Type.Optional(text(0, 200)),
      placedAt: dateTime,
    }),
    medium: object({
      orderId: text(1, 40),
      placedAt: dateTime,
      customer: object({
        id: Type.String({ format: 'uuid' }),
        name: text(1, 100),
        email: Type.String({ format: 'email' }),
        phone: Type.Optional(text(0, 30)),
        tier: oneOf('basic', 'plus', 'premium'),
      }),
      shipping: address,
      billing: Type.Optional(address),
      items: Type.Array(item, { minItems: 1, maxItems: 100 }),
      payment,
      tags,
      total: Type.Number({ minimum: 0 }),
      currency,
      giftMessage: Type.Optional(text(0, 200)),
    }),
    large: object({ records: Type.Array(record, { maxItems: 10000 }), next: Type.Optional(text(0, 40)) }),
  }
}

const strict = schemasWith({ additionalProperties: false })
const cleaned = schemasWith({})

export const name = 'typebox'

export const operations = {
  validate: (shape) => {
    const checker = TypeCompiler.Compile(strict[shape])
    return (value) => checker.Check(value)
  },
  decode: (shape) => {
    const checker = TypeCompiler.Compile(strict[shape])
    return (json) => {
      const value = JSON.parse(json)
      return checker.Check(value) ? value : undefined
    }
  },
  strip: (shape) => {
    const schema = cleaned[shape]
    const checker = TypeCompiler.Compile(schema)
    return (json) => {
      const value = Value.Clean(schema, JSON.parse(json))
      return checker.Check(value) ? value : undefined
    }
  },
  issues: (shape) => {
    const checker = TypeCompiler.Compile(strict[shape])
    return (value) => [...checker.Errors(value)]
  },
}

export const pointers = (issue) => [issue.path]
