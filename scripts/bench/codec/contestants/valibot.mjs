import * as v from 'valibot'

const text = (minimum, maximum) => v.pipe(v.string(), v.minLength(minimum), v.maxLength(maximum))
const integer = (...rules) => v.pipe(v.number(), v.integer(), ...rules)
const dateTime = v.pipe(v.string(), v.isoTimestamp())
const email = v.pipe(v.string(), v.email())
const currency = v.picklist(['EUR', 'USD', 'GBP'])
const amount = v.pipe(v.number(), v.minValue(0))
const tags = v.pipe(v.array(text(1, 30)), v.maxLength(10))

/** @param object `v.strictObject` rejects unknown keys, `v.object` drops them */
function schemasWith(object) {
  const address = object({
    street: text(1, 120),
    city: text(1, 80),
    postalCode: text(3, 10),
    country: text(2, 2),
    state: v.optional(text(0, 40)),
  })
  const item = object({
    sku: text(1, 32),
    name: text(1, 120),
    quantity: integer(v.minValue(1), v.maxValue(1000)),
    unitPrice: amount,
    taxRate: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    tags: v.optional(tags),
    note: v.optional(text(0, 500)),
  })
  const payment = v.variant('type', [
    object({
      type: v.literal('card'),
      network: v.picklist(['visa', 'mastercard', 'amex']),
      last4: text(4, 4),
      expires: v.pipe(v.string(), v.isoDate()),
    }),
    object({ type: v.literal('transfer'), iban: text(15, 34), bic: v.optional(text(0, 11)) }),
    object({ type: v.literal('wallet'), provider: v.picklist(['apple', 'google', 'paypal']), email }),
  ])
  const record = object({
    id: integer(v.minValue(1)),
    name: text(1, 80),
    active: v.boolean(),
    score: v.pipe(v.number(), v.minValue(0), v.maxValue(100)),
    status: v.picklist(['open', 'shipped', 'returned', 'closed']),
    owner: text(1, 40),
    createdAt: dateTime,
    note: v.optional(text(0, 200)),
  })
  return {
    small: object({
      reference: text(1, 40),
      title: text(1, 80),
      quantity: integer(v.minValue(1), v.maxValue(1000)),
      price: amount,
      gift: v.boolean(),
      currency,
      note: v.optional(text(0, 200)),
      placedAt: dateTime,
    }),
    medium: object({
      orderId: text(1, 40),
      placedAt: dateTime,
      customer: object({
        id: v.pipe(v.string(), v.uuid()),
        name: text(1, 100),
        email,
        phone: v.optional(text(0, 30)),
        tier: v.picklist(['basic', 'plus', 'premium']),
      }),
      shipping: address,
      billing: v.optional(address),
      items: v.pipe(v.array(item), v.minLength(1), v.maxLength(100)),
      payment,
      tags,
      total: amount,
      currency,
      giftMessage: v.optional(text(0, 200)),
    }),
    large: object({ records: v.pipe(v.array(record), v.maxLength(10000)), next: v.optional(text(0, 40)) }),
  }
}

const strict = schemasWith(v.strictObject)
const stripping = schemasWith(v.object)

export const name = 'valibot'

export const operations = {
  validate: (shape) => {
    const schema = strict[shape]
    return (value) => v.is(schema, value)
  },
  decode: (shape) => parsed(strict[shape]),
  strip: (shape) => parsed(stripping[shape]),
  issues: (shape) => {
    const schema = strict[shape]
    return (value) => v.safeParse(schema, value).issues ?? []
  },
}

export const pointers = (issue) => [(issue.path ?? []).map((step) => `/${String(step.key)}`).join('')]

function parsed(schema) {
  return (json) => {
    const result = v.safeParse(schema, JSON.parse(json))
    return result.success ? result.output : undefined
  }
}
