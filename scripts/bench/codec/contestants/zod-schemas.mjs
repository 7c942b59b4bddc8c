import { z } from 'zod'

/** Formats that Zod validates and that are closest to the formats of JSON Schema. */
export const zodFormats = {
  dateTime: z.iso.datetime({ offset: true }),
  date: z.iso.date(),
  uuid: z.guid(),
  email: z.email(),
}

/** Formats of JSON Schema without Zod's patterns. All contestants with JSON Schema validate these formats. */
export const namedFormats = {
  dateTime: z.string().meta({ format: 'date-time' }),
  date: z.string().meta({ format: 'date' }),
  uuid: z.string().meta({ format: 'uuid' }),
  email: z.string().meta({ format: 'email' }),
}

/**
 * Returns the three shapes in Zod 4. The design of toolgen uses the same schemas.
 *
 * @param object `z.strictObject` rejects unknown keys, `z.object` drops them
 * @param note makes the fields named `note` optional, or adds their default
 */
export function zodSchemas({ object, formats: { dateTime, date, uuid, email }, note = (text) => text.optional() }) {
  const currency = z.enum(['EUR', 'USD', 'GBP'])
  const small = object({
    reference: z.string().min(1).max(40),
    title: z.string().min(1).max(80),
    quantity: z.int().min(1).max(1000),
    price: z.number().min(0),
    gift: z.boolean(),
    currency,
    note: note(z.string().max(200)),
    placedAt: dateTime,
  })
  const address = object({
    street: z.string().min(1).max(120),
    city: z.string().min(1).max(80),
    postalCode: z.string().min(3).max(10),
    country: z.string().min(2).max(2),
    state: z.string().max(40).optional(),
  })
  const item = object({
    sku: z.string().min(1).max(32),
    name: z.string().min(1).max(120),
    quantity: z.int().min(1).max(1000),
    unitPrice: z.number().min(0),
    taxRate: z.number().min(0).max(1).optional(),
    tags: z.array(z.string().min(1).max(30)).max(10).optional(),
    note: note(z.string().max(500)),
  })
  const payment = z.discriminatedUnion('type', [
    object({
      type: z.literal('card'),
      network: z.enum(['visa', 'mastercard', 'amex']),
      last4: z.string().min(4).max(4),
      expires: date,
    }),
    object({ type: z.literal('transfer'), iban: z.string().min(15).max(34), bic: z.string().max(11).optional() }),
    object({ type: z.literal('wallet'), provider: z.enum(['apple', 'google', 'paypal']), email }),
  ])
  const medium = object({
    orderId: z.string().min(1).max(40),
    placedAt: dateTime,
    customer: object({
      id: uuid,
      name: z.string().min(1).max(100),
      email,
      phone: z.string().max(30).optional(),
      tier: z.enum(['basic', 'plus', 'premium']),
    }),
    shipping: address,
    billing: address.optional(),
    items: z.array(item).min(1).max(100),
    payment,
    tags: z.array(z.string().min(1).max(30)).max(10),
    total: z.number().min(0),
    currency,
    giftMessage: z.string().max(200).optional(),
  })
  const record = object({
    id: z.int().min(1),
    name: z.string().min(1).max(80),
    active: z.boolean(),
    score: z.number().min(0).max(100),
    status: z.enum(['open', 'shipped', 'returned', 'closed']),
    owner: z.string().min(1).max(40),
    createdAt: dateTime,
    note: note(z.string().max(200)),
  })
  const large = object({ records: z.array(record).max(10000), next: z.string().max(40).optional() })
  return { small, medium, large }
}

export const noteDefault = (text) => text.default('')
