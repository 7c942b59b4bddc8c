import { randomParts } from './random.mjs'

/** Number of variants. Each variant behaves like a server that always adds the same keys at the same locations. */
const variants = 4

/** Returns a copy in which every object has two or three undeclared keys, at random positions. */
export function withUnknownKeys(value, index) {
  return addUnknownKeys(value, '', index % variants)
}

/** `path` has no array indexes, so that all items of an array have the same undeclared keys. */
function addUnknownKeys(value, path, variant) {
  if (Array.isArray(value)) return value.map((item) => addUnknownKeys(item, path, variant))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, field]) => [key, addUnknownKeys(field, `${path}/${key}`, variant)])
  // Equal paths must have equal seeds.
  const parts = randomParts(path.length * variants + variant)
  for (const name of undeclared.slice(parts.integer(0, 1)))
    entries.splice(parts.integer(0, entries.length), 0, [name, parts.pick(values)])
  return Object.fromEntries(entries)
}

const undeclared = ['_links', 'internalRevision', 'etag']
const values = ['W/"5f2b"', 1734, true, null, { self: '/v1/things/1734', size: 2 }, [1, 2]]
