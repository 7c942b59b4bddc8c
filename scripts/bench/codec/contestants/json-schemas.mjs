/**
 * Returns the three shapes as JSON Schema 2020-12. Objects reject unknown keys; with `removeAdditional`, Ajv drops them.
 *
 * @param note further keywords of the fields named `note`
 */
export function jsonSchemas(note = {}) {
  const currency = { enum: ['EUR', 'USD', 'GBP'] }
  const dateTime = { type: 'string', format: 'date-time' }
  const small = object({
    reference: text(1, 40),
    title: text(1, 80),
    quantity: { type: 'integer', minimum: 1, maximum: 1000 },
    price: { type: 'number', minimum: 0 },
    gift: { type: 'boolean' },
    currency: { type: 'string', ...currency },
    'note?': { ...text(0, 200), ...note },
    placedAt: dateTime,
  })
  const address = object({
    street: text(1, 120),
    city: text(1, 80),
    postalCode: text(3, 10),
    country: text(2, 2),
    'state?': text(0, 40),
  })
  const tags = { type: 'array', items: text(1, 30), maxItems: 10 }
  const item = object({
    sku: text(1, 32),
    name: text(1, 120),
    quantity: { type: 'integer', minimum: 1, maximum: 1000 },
    unitPrice: { type: 'number', minimum: 0 },
    'taxRate?': { type: 'number', minimum: 0, maximum: 1 },
    'tags?': tags,
    'note?': { ...text(0, 500), ...note },
  })
  const payment = {
    type: 'object',
    discriminator: { propertyName: 'type' },
    required: ['type'],
    oneOf: [
      object({
        type: { type: 'string', const: 'card' },
        network: { type: 'string', enum: ['visa', 'mastercard', 'amex'] },
        last4: text(4, 4),
        expires: { type: 'string', format: 'date' },
      }),
      object({ type: { type: 'string', const: 'transfer' }, iban: text(15, 34), 'bic?': text(0, 11) }),
      object({
        type: { type: 'string', const: 'wallet' },
        provider: { type: 'string', enum: ['apple', 'google', 'paypal'] },
        email: { type: 'string', format: 'email' },
      }),
    ],
  }
  const medium = object({
    orderId: text(1, 40),
    placedAt: dateTime,
    customer: object({
      id: { type: 'string', format: 'uuid' },
      name: text(1, 100),
      email: { type: 'string', format: 'email' },
      'phone?': text(0, 30),
      tier: { type: 'string', enum: ['basic', 'plus', 'premium'] },
    }),
    shipping: address,
    'billing?': address,
    items: { type: 'array', items: item, minItems: 1, maxItems: 100 },
    payment,
    tags,
    total: { type: 'number', minimum: 0 },
    currency: { type: 'string', ...currency },
    'giftMessage?': text(0, 200),
  })
  const record = object({
    id: { type: 'integer', minimum: 1 },
    name: text(1, 80),
    active: { type: 'boolean' },
    score: { type: 'number', minimum: 0, maximum: 100 },
    status: { type: 'string', enum: ['open', 'shipped', 'returned', 'closed'] },
    owner: text(1, 40),
    createdAt: dateTime,
    'note?': { ...text(0, 200), ...note },
  })
  const large = object({ records: { type: 'array', items: record, maxItems: 10000 }, 'next?': text(0, 40) })
  return { small, medium, large }
}

const text = (minLength, maxLength) => ({ type: 'string', ...(minLength > 0 ? { minLength } : {}), maxLength })

/** Returns the schema of an object. Fields whose name ends with `?` are optional. */
function object(fields) {
  const entries = Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema])
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'))
  return { type: 'object', properties: Object.fromEntries(entries), required, additionalProperties: false }
}
