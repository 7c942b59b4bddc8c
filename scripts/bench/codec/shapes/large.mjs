import { missing, unknown, wrong } from './errors.mjs'

/** A result with 1,000 records of eight fields. */
export const large = {
  instances: 4,
  errorsAtOnce: 10,
  make: (parts) => ({
    records: Array.from({ length: 1000 }, (_, index) => ({
      id: index + 1,
      name: parts.words(1, 3),
      active: parts.chance(0.7),
      score: parts.integer(0, 10000) / 100,
      status: parts.pick(['open', 'shipped', 'returned', 'closed']),
      owner: `user-${parts.integer(1, 500)}`,
      createdAt: parts.dateTime(),
      ...(parts.chance(0.3) ? { note: parts.words(2, 8) } : {}),
    })),
    ...(parts.chance(0.5) ? { next: `page-${parts.integer(2, 99)}` } : {}),
  }),
  completed: (value) => ({ ...value, records: value.records.map((record) => ({ note: '', ...record })) }),
  errors: () => [
    wrong('/records/17/id', 0),
    wrong('/records/99/id', 1.5),
    missing('/records/180/name'),
    wrong('/records/181/name', 'x'.repeat(81)),
    wrong('/records/260/active', 'true'),
    wrong('/records/333/score', 100.5),
    wrong('/records/410/score', null),
    wrong('/records/500/status', 'lost'),
    wrong('/records/601/owner', ''),
    wrong('/records/700/createdAt', 'yesterday'),
    wrong('/records/777/note', 'x'.repeat(201)),
    unknown('/records/850/colour'),
    wrong('/records/920', 'record'),
    missing('/records/999/createdAt'),
    wrong('/next', 5),
    unknown('/colour'),
  ],
}
