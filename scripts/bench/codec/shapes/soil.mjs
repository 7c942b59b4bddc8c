import { randomParts } from './random.mjs'

/** How many ways of soiling there are: as many servers, each of which always adds the same keys in the same places. */
const servers = 4

/** A copy in which every object has two or three undeclared keys, anywhere among the declared ones. */
export function soiled(value, index) {
  return soiledAt(value, '', index % servers)
}

/** `kind` is the object's place without array indexes, so that all items of one array are soiled alike. */
function soiledAt(value, kind, server) {
  if (Array.isArray(value)) return value.map((item) => soiledAt(item, kind, server))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, field]) => [key, soiledAt(field, `${kind}/${key}`, server)])
  // Any number will do that is the same for the same kind of object.
  const parts = randomParts(kind.length * servers + server)
  for (const name of undeclared.slice(parts.integer(0, 1)))
    entries.splice(parts.integer(0, entries.length), 0, [name, parts.pick(values)])
  return Object.fromEntries(entries)
}

const undeclared = ['_links', 'internalRevision', 'etag']
const values = ['W/"5f2b"', 1734, true, null, { self: '/v1/things/1734', size: 2 }, [1, 2]]
