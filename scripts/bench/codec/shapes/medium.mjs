import { insideUnion, missing, unknown, wrong } from './errors.mjs'

/** An order: nested objects, twenty line items, a union of payment methods with the discriminator `type`, formats, optional fields. */
export const medium = {
  instances: 16,
  errorsAtOnce: 3,
  make: (parts) => ({
    orderId: `O-${parts.integer(1000, 999999)}`,
    placedAt: parts.dateTime(),
    customer: {
      id: parts.uuid(),
      name: parts.words(2, 3),
      email: parts.email(),
      ...(parts.chance(0.5) ? { phone: `+49 30 ${parts.integer(100000, 999999)}` } : {}),
      tier: parts.pick(['basic', 'plus', 'premium']),
    },
    shipping: address(parts),
    ...(parts.chance(0.4) ? { billing: address(parts) } : {}),
    items: Array.from({ length: 20 }, () => lineItem(parts)),
    payment: payment(parts),
    tags: Array.from({ length: parts.integer(1, 5) }, () => parts.words(1, 2)),
    total: parts.money(50000),
    currency: parts.pick(['EUR', 'USD', 'GBP']),
    ...(parts.chance(0.3) ? { giftMessage: parts.words(3, 12) } : {}),
  }),
  completed: (value) => ({ ...value, items: value.items.map((item) => ({ note: '', ...item })) }),
  errors: () => [
    missing('/orderId'),
    wrong('/orderId', ''),
    wrong('/placedAt', 'yesterday'),
    missing('/customer/tier'),
    wrong('/customer/id', 'not-a-uuid'),
    wrong('/customer/email', 'nobody'),
    wrong('/customer/tier', 'gold'),
    unknown('/customer/colour'),
    wrong('/shipping/country', 'Germany'),
    missing('/shipping/city'),
    wrong('/shipping', 'here'),
    wrong('/items/3/quantity', 0),
    wrong('/items/7/unitPrice', '12.50'),
    wrong('/items/7/sku', 'x'.repeat(33)),
    wrong('/items/11/tags', 'new'),
    wrong('/items/11/taxRate', 1.5),
    missing('/items/15/name'),
    unknown('/items/19/colour'),
    wrong('/items', []),
    wrong('/tags/0', ''),
    wrong('/tags', {}),
    wrong('/total', -1),
    wrong('/currency', 'CHF'),
    wrong('/giftMessage', 'x'.repeat(201)),
    unknown('/colour'),
    insideUnion(wrong('/payment/type', 'barter')),
    insideUnion(missing('/payment/type')),
    insideUnion(wrong('/payment', null)),
    insideUnion(wrong('/payment', { type: 'card', network: 'visa', last4: '42', expires: '2027-01-31' })),
    insideUnion(wrong('/payment', { type: 'card', network: 'visa', last4: '4242', expires: 'soon' })),
    insideUnion(wrong('/payment', { type: 'transfer', last4: '4242' })),
    insideUnion(unknown('/payment/colour')),
  ],
}

function address(parts) {
  return {
    street: `${parts.words(1, 2)} ${parts.integer(1, 200)}`,
    city: parts.words(1, 1),
    postalCode: String(parts.integer(10000, 99999)),
    country: parts.pick(['DE', 'FR', 'US', 'JP']),
    ...(parts.chance(0.3) ? { state: parts.words(1, 1) } : {}),
  }
}

function lineItem(parts) {
  return {
    sku: `SKU-${parts.integer(10000, 99999)}`,
    name: parts.words(1, 5),
    quantity: parts.integer(1, 50),
    unitPrice: parts.money(900),
    ...(parts.chance(0.5) ? { taxRate: parts.pick([0, 0.07, 0.19, 0.25]) } : {}),
    ...(parts.chance(0.3) ? { tags: Array.from({ length: parts.integer(0, 3) }, () => parts.words(1, 1)) } : {}),
    ...(parts.chance(0.2) ? { note: parts.words(2, 8) } : {}),
  }
}

function payment(parts) {
  return parts.pick([
    { type: 'card', network: parts.pick(['visa', 'mastercard', 'amex']), last4: '4242', expires: parts.date() },
    { type: 'transfer', iban: `DE${parts.integer(1e9, 9e9)}${parts.integer(1e9, 9e9)}`, bic: 'MARKDEFFXXX' },
    { type: 'wallet', provider: parts.pick(['apple', 'google', 'paypal']), email: parts.email() },
  ])
}
