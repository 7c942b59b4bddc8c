const all = Array.from({ length: 1_000 }, (_, index) => ({
  id: `A-${1_000 + index}`,
  title: `Article ${index} of the autumn list`,
  price: 12.5 + index,
  inStock: index % 3 !== 0,
  tags: ['new', 'wood'],
}))

/** Returns the result of the tool. A row has about 125 bytes of JSON. */
export const reportOf = (rows) => ({ total: all.length, items: all.slice(0, rows) })

/** JSON Schemas of the tool. */
export const argumentsSchema = {
  type: 'object',
  properties: { rows: { type: 'integer', minimum: 1, maximum: 1_000 } },
  required: ['rows'],
}

export const resultSchema = {
  type: 'object',
  properties: {
    total: { type: 'integer' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          title: { type: 'string' },
          price: { type: 'number' },
          inStock: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['id', 'title', 'price', 'inStock', 'tags'],
      },
    },
  },
  required: ['total', 'items'],
}
