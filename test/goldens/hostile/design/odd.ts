import { defineTool, defineToolset } from '@toolgen/dsl'

const empty = { type: 'object', properties: {} }

export const odd = defineToolset('delete', {
  description: '*/ process.exit(1) /* `${x}` {{y}}',
  tools: {
    constructor: defineTool({
      description: 'Ends the comment */ and starts code. @deprecated {@link evil}\u202e \u2028 {{#each}}',
      title: 'It\'s "quoted" `${here}`',
      payload: {
        type: 'object',
        properties: {
          'order-id': { type: 'string', description: 'Hyphens */ and\nlines' },
          constructor: { type: 'string', enum: ["it's", 'a "b"', '\\', '\ud800'] },
        },
        required: ['order-id'],
      },
      result: { type: 'object', properties: { 'line\nbreak': { type: 'string' } }, required: ['line\nbreak'] },
      examples: [{ 'order-id': '${process.exit(1)}' }, { 'order-id': '*/', constructor: "it's" }],
      callHint: 'Order {{order-id}}',
    }),
    get_order: defineTool({ description: 'Collides with the next.', payload: empty, result: true }),
    getOrder: defineTool({ description: 'Keeps the name.', payload: empty, result: true }),
    'größe 注文 🛠': defineTool({ description: 'Beyond ASCII.', payload: empty, result: true }),
    '42': defineTool({
      description: 'Begins with a digit; its fields do not fit the method.',
      payload: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      result: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    }),
    toString: defineTool({
      description: 'A tool, its only field and what it needs have names that every object has.',
      payload: { type: 'object', properties: { constructor: { type: 'string' } } },
      result: { type: 'null' },
    }),
  },
})
