import { ArkErrors, scope } from 'arktype'

/** @param unknownKeys treatment of unknown keys: `reject` or `delete` */
function schemasWith(unknownKeys) {
  const types = scope({
    DateTime: /^\d{4}-(?:0[1-9]|1[0-2])-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
    FullDate: /^\d{4}-(?:0[1-9]|1[0-2])-\d{2}$/,
    Currency: "'EUR' | 'USD' | 'GBP'",
    Tags: '(1 <= string <= 30)[] <= 10',
    Small: {
      '+': unknownKeys,
      reference: '1 <= string <= 40',
      title: '1 <= string <= 80',
      quantity: '1 <= number.integer <= 1000',
      price: 'number >= 0',
      gift: 'boolean',
      currency: 'Currency',
      'note?': 'string <= 200',
      placedAt: 'DateTime',
    },
    Address: {
      '+': unknownKeys,
      street: '1 <= string <= 120',
      city: '1 <= string <= 80',
      postalCode: '3 <= string <= 10',
      country: 'string == 2',
      'state?': 'string <= 40',
    },
    Item: {
      '+': unknownKeys,
      sku: '1 <= string <= 32',
      name: '1 <= string <= 120',
      quantity: '1 <= number.integer <= 1000',
      unitPrice: 'number >= 0',
      'taxRate?': '0 <= number <= 1',
      'tags?': 'Tags',
      'note?': 'string <= 500',
    },
    Card: {
      '+': unknownKeys,
      type: "'card'",
      network: "'visa' | 'mastercard' | 'amex'",
      last4: 'string == 4',
      expires: 'FullDate',
    },
    Transfer: { '+': unknownKeys, type: "'transfer'", iban: '15 <= string <= 34', 'bic?': 'string <= 11' },
    Wallet: {
      '+': unknownKeys,
      type: "'wallet'",
      provider: "'apple' | 'google' | 'paypal'",
      email: 'string.email',
    },
    Customer: {
      '+': unknownKeys,
      id: 'string.uuid',
      name: '1 <= string <= 100',
      email: 'string.email',
      'phone?': 'string <= 30',
      tier: "'basic' | 'plus' | 'premium'",
    },
    Medium: {
      '+': unknownKeys,
      orderId: '1 <= string <= 40',
      placedAt: 'DateTime',
      customer: 'Customer',
      shipping: 'Address',
      'billing?': 'Address',
      items: '1 <= Item[] <= 100',
      payment: 'Card | Transfer | Wallet',
      tags: 'Tags',
      total: 'number >= 0',
      currency: 'Currency',
      'giftMessage?': 'string <= 200',
    },
    LargeRecord: {
      '+': unknownKeys,
      id: 'number.integer >= 1',
      name: '1 <= string <= 80',
      active: 'boolean',
      score: '0 <= number <= 100',
      status: "'open' | 'shipped' | 'returned' | 'closed'",
      owner: '1 <= string <= 40',
      createdAt: 'DateTime',
      'note?': 'string <= 200',
    },
    Large: { '+': unknownKeys, records: 'LargeRecord[] <= 10000', 'next?': 'string <= 40' },
  }).export()
  return { small: types.Small, medium: types.Medium, large: types.Large }
}

export const name = 'arktype'

export const operations = {
  validate: (shape) => {
    const schema = schemasWith('reject')[shape]
    return (value) => schema.allows(value)
  },
  decode: (shape) => parsed(schemasWith('reject')[shape]),
  strip: (shape) => parsed(schemasWith('delete')[shape]),
  issues: (shape) => {
    const schema = schemasWith('reject')[shape]
    return (value) => {
      const result = schema(value)
      return result instanceof ArkErrors ? [...result] : []
    }
  },
}

export const pointers = (issue) => [issue.path.map((key) => `/${String(key)}`).join('')]

function parsed(schema) {
  return (json) => {
    const result = schema(JSON.parse(json))
    return result instanceof ArkErrors ? undefined : result
  }
}
