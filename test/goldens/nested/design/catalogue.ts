import { defineTool, defineToolset } from '@toolgen/dsl'

const $defs = {
  Shelf: {
    type: 'object',
    description: 'One shelf with the shelves inside it.',
    properties: {
      label: { type: 'string', description: 'What is written on the shelf' },
      width: { type: ['number', 'null'], description: 'In centimetres' },
      createdAt: { type: 'string', format: 'date-time' },
      shelves: { type: 'array', items: { $ref: '#/$defs/Shelf' } },
    },
    required: ['label', 'createdAt', 'shelves'],
  },
}

export const catalogue = defineToolset('catalogue', {
  description: 'The shelves of a shop and what is on them.',
  namespace: 'shop',
  tools: {
    readShelf: defineTool({
      description: 'Read a shelf.\n\nInner shelves come with it, as deep as they go.',
      payload: {
        type: 'object',
        properties: {
          label: { type: 'string' },
          filter: {
            description: 'Which goods count',
            oneOf: [
              {
                type: 'object',
                properties: { kind: { const: 'colour' }, colour: { type: 'string', description: 'In plain words' } },
                required: ['kind', 'colour'],
              },
              {
                type: 'object',
                properties: { kind: { const: 'weight' }, atMost: { type: 'number', exclusiveMinimum: 0 } },
                required: ['kind', 'atMost'],
              },
            ],
          },
        },
        required: ['label'],
      },
      result: { $ref: '#/$defs/Shelf', $defs },
    }),
    tagAll: defineTool({
      description: 'Set tags on everything.',
      payload: {
        type: 'object',
        properties: {
          tags: { type: 'object', additionalProperties: { type: ['string', 'number'] }, description: 'Tag → value' },
        },
        required: ['tags'],
      },
      result: {
        type: 'object',
        properties: {
          tagged: { type: 'integer', minimum: 0 },
          byTag: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        },
        required: ['tagged', 'byTag'],
      },
    }),
  },
})
