import { missing, unknown, wrong } from './errors.mjs'

/** A payload with eight fields and no nested objects. */
export const small = {
  instances: 64,
  errorsAtOnce: 3,
  make: (parts) => ({
    reference: `R-${parts.integer(1000, 999999)}`,
    title: parts.words(1, 6),
    quantity: parts.integer(1, 1000),
    price: parts.money(900),
    gift: parts.chance(0.5),
    currency: parts.pick(['EUR', 'USD', 'GBP']),
    ...(parts.chance(0.5) ? { note: parts.words(2, 12) } : {}),
    placedAt: parts.dateTime(),
  }),
  errors: () => [
    missing('/reference'),
    wrong('/reference', ''),
    wrong('/title', 'x'.repeat(81)),
    wrong('/title', null),
    wrong('/quantity', 0),
    wrong('/quantity', 1001),
    wrong('/quantity', 2.5),
    wrong('/quantity', '3'),
    wrong('/price', -0.01),
    wrong('/price', '12'),
    wrong('/gift', 'yes'),
    wrong('/gift', 0),
    wrong('/currency', 'CHF'),
    wrong('/note', 'x'.repeat(201)),
    wrong('/note', null),
    wrong('/placedAt', 'yesterday'),
    wrong('/placedAt', '2026-03-01'),
    wrong('/placedAt', '2026-13-01T10:00:00Z'),
    missing('/placedAt'),
    unknown('/colour'),
  ],
}
