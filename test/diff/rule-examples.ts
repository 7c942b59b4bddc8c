import type { Schema, SchemaObject } from '../../packages/codegen/src/schema/json-schema.js'
import type { AgentSketch, Sketch } from './sketch.js'

/** A change that a rule reports, and one that it does not report. */
export interface RuleExample {
  readonly was: Sketch
  readonly is: Sketch
  readonly not: { readonly was: Sketch; readonly is: Sketch }
}

const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): SchemaObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
const text: Schema = { type: 'string' }
const id = { id: text }
const shipped = { hint: 'Order {{id}} has left the warehouse.', action: 'replan', schema: object(id) }
const soldOut = { hint: 'Sold out.', action: 'replan' }

/** Returns an example for a property: a reported change (`was`, `is`) and an unreported one (`not`). */
function fields(
  side: 'payload' | 'result',
  { was, is, not }: { readonly was: Schema; readonly is: Schema; readonly not: readonly [was: Schema, is: Schema] },
): RuleExample {
  const sketch = (field: Schema): Sketch => ({ [side]: object({ field }, ['field']) })
  return { was: sketch(was), is: sketch(is), not: { was: sketch(not[0]), is: sketch(not[1]) } }
}

/** A narrow and a wide schema, and two equivalent schemas. */
interface Part {
  readonly narrow: Schema
  readonly wide: Schema
  readonly same: readonly [Schema, Schema]
}

const open = { const: 'open' }
const card = object({ kind: { const: 'card' } }, ['kind'])
const cash = object({ kind: { const: 'cash' } }, ['kind'])

const parts: Readonly<Record<string, Part>> = {
  type: {
    narrow: { type: 'integer' },
    wide: { type: 'number' },
    same: [{ type: ['string', 'null'] }, { anyOf: [{ type: 'null' }, text] }],
  },
  enum: {
    narrow: { enum: ['open', 'shipped'] },
    wide: { enum: ['open', 'shipped', 'lost'] },
    same: [open, { enum: ['open'] }],
  },
  variant: {
    narrow: { oneOf: [card] },
    wide: { oneOf: [card, cash] },
    same: [{ oneOf: [card, cash] }, { oneOf: [cash, card] }],
  },
  range: {
    narrow: { type: 'integer', minimum: 1, maximum: 50 },
    wide: { type: 'integer', minimum: 1, maximum: 100 },
    same: [
      { type: 'integer', minimum: 1 },
      { type: 'integer', exclusiveMinimum: 0 },
    ],
  },
  length: {
    narrow: { type: 'array', items: text, maxItems: 5 },
    wide: { type: 'array', items: text },
    same: [
      { type: 'string', minLength: 1 },
      { type: 'string', allOf: [{ minLength: 1 }, { minLength: 0 }] },
    ],
  },
  pattern: {
    narrow: { type: 'string', pattern: '^A-\\d+$' },
    wide: text,
    same: [
      { type: 'string', pattern: '^A' },
      { type: 'string', pattern: '^A', description: 'A number' },
    ],
  },
  format: {
    narrow: { type: 'string', format: 'date' },
    wide: text,
    same: [{ type: 'string', format: 'date' }, { allOf: [{ format: 'date' }, text] }],
  },
  rule: {
    narrow: { type: 'array', items: text, uniqueItems: true },
    wide: { type: 'array', items: text },
    same: [
      { type: 'array', items: text },
      { type: 'array', items: text, uniqueItems: false },
    ],
  },
}

const partExamples = Object.entries(parts).flatMap(([name, { narrow, wide, same }]) => {
  const narrower = { was: wide, is: narrow, not: same }
  const wider = { was: narrow, is: wide, not: same }
  return [
    [`payload-${name}-narrowed`, fields('payload', narrower)],
    [`payload-${name}-widened`, fields('payload', wider)],
    [`result-${name}-widened`, fields('result', wider)],
    [`result-${name}-narrowed`, fields('result', narrower)],
  ] as const
})

const typed: Schema = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const plain: Schema = { type: 'string', format: 'date-time' }

const schemaExamples: Readonly<Record<string, RuleExample>> = {
  'payload-field-required': {
    was: { payload: object(id) },
    is: { payload: object(id, ['id']) },
    not: { was: { payload: object(id) }, is: { payload: object({ ...id, note: text }) } },
  },
  'payload-field-optional': {
    was: { payload: object(id, ['id']) },
    is: { payload: object(id) },
    not: { was: { payload: object(id) }, is: { payload: object({ ...id, note: text }) } },
  },
  'payload-field-removed': {
    was: { payload: object({ ...id, note: text }) },
    is: { payload: object(id) },
    not: { was: { payload: object({ note: text, ...id }) }, is: { payload: object({ ...id, note: text }) } },
  },
  'payload-field-added': {
    was: { payload: object(id) },
    is: { payload: object({ ...id, note: text }) },
    not: { was: { payload: object(id) }, is: { payload: object({ ...id, note: text }, ['note']) } },
  },
  'payload-unknown-fields-refused': {
    was: { payload: { ...object(id), additionalProperties: true } },
    is: { payload: object(id) },
    not: { was: { payload: object(id) }, is: { payload: { ...object(id), additionalProperties: false } } },
  },
  'payload-unknown-fields-taken': {
    was: { payload: object(id) },
    is: { payload: { ...object(id), additionalProperties: true } },
    not: { was: { payload: object(id) }, is: { payload: { ...object(id), additionalProperties: false } } },
  },
  'payload-js-type-changed': fields('payload', { was: plain, is: typed, not: [typed, { allOf: [typed] }] }),
  'payload-default-changed': fields('payload', {
    was: { type: 'integer', default: 10 },
    is: { type: 'integer', default: 20 },
    not: [
      { type: 'integer', default: 10 },
      { type: 'integer', default: 10, minimum: 1 },
    ],
  }),
  'payload-described-otherwise': fields('payload', {
    was: { type: 'string', description: 'The number' },
    is: { type: 'string', description: 'The number, e.g. A-1' },
    not: [
      { type: 'string', description: 'The number' },
      { type: 'string', minLength: 1, description: 'The number' },
    ],
  }),
  'result-field-removed': {
    was: { result: object({ ...id, note: text }) },
    is: { result: object(id) },
    not: { was: { result: object(id) }, is: { result: object({ ...id, note: text }) } },
  },
  'result-field-optional': {
    was: { result: object(id, ['id']) },
    is: { result: object(id) },
    not: { was: { result: object(id) }, is: { result: object(id, ['id']) } },
  },
  'result-field-required': {
    was: { result: object(id) },
    is: { result: object(id, ['id']) },
    not: { was: { result: object(id, ['id']) }, is: { result: object(id) } },
  },
  'result-field-added': {
    was: { result: object(id) },
    is: { result: object({ ...id, note: text }) },
    not: { was: { result: object({ ...id, note: text }) }, is: { result: object(id) } },
  },
  'result-js-type-changed': fields('result', { was: plain, is: typed, not: [typed, { allOf: [typed] }] }),
  'result-described-otherwise': fields('result', {
    was: { type: 'number', description: 'In euros' },
    is: { type: 'number', description: 'In cents' },
    not: [
      { type: 'number', description: 'In euros' },
      { type: 'integer', description: 'In euros' },
    ],
  }),
}

const sessionOwned = { sessionId: { from: 'sessionId', schema: text } }
const asks = { confirmation: { prompt: 'Cancel it?' } }
const asksOver = (amount: number) => ({
  confirmation: {
    ...asks.confirmation,
    when: { type: 'object', properties: { quantity: { minimum: amount } }, required: ['quantity'] },
  },
})
const unchanged = { was: { about: { title: 'Order' } }, is: { about: { title: 'Get order' } } }

const toolExamples: Readonly<Record<string, RuleExample>> = {
  'toolset-removed': {
    was: { toolsets: ['orders', 'stock'] },
    is: { toolsets: ['orders'] },
    not: { was: { toolsets: ['stock', 'orders'] }, is: { toolsets: ['orders', 'stock'] } },
  },
  'toolset-added': {
    was: { toolsets: ['orders'] },
    is: { toolsets: ['orders', 'stock'] },
    not: { was: { tools: ['getOrder'] }, is: { tools: ['getOrder', 'findOrder'] } },
  },
  'toolset-namespace-changed': { was: { namespace: 'default' }, is: { namespace: 'shop' }, not: unchanged },
  'toolset-described-otherwise': {
    was: { description: 'Orders.' },
    is: { description: 'Look up orders.' },
    not: unchanged,
  },
  'type-removed': {
    was: { defs: { Order: object(id) } },
    is: {},
    not: { was: {}, is: { defs: { Order: object(id) } } },
  },
  'tool-removed': {
    was: { tools: ['getOrder', 'findOrder'] },
    is: { tools: ['getOrder'] },
    not: { was: { tools: ['getOrder', 'findOrder'] }, is: { tools: ['findOrder', 'getOrder'] } },
  },
  'tool-added': {
    was: { tools: ['getOrder'] },
    is: { tools: ['getOrder', 'findOrder'] },
    not: { was: { toolsets: ['orders'] }, is: { toolsets: ['orders', 'stock'] } },
  },
  'tool-described-otherwise': {
    was: { about: { description: 'Fetch an order.' } },
    is: { about: { description: 'Fetch one order with its lines.' } },
    not: unchanged,
  },
  'tool-title-changed': {
    was: { about: { title: 'Order' } },
    is: { about: { title: 'Get order' } },
    not: { was: { about: { description: 'A' } }, is: { about: { description: 'B' } } },
  },
  'tool-examples-changed': {
    was: { about: { examples: [{}] } },
    is: { about: { examples: [{}, {}] } },
    not: unchanged,
  },
  'tool-hints-changed': {
    was: { about: { callHint: 'Looking up' } },
    is: { about: { callHint: 'Looking up {{id}}' } },
    not: unchanged,
  },
  'tool-tags-changed': { was: { about: { tags: ['slow'] } }, is: { about: { tags: ['quick'] } }, not: unchanged },
  'tool-annotations-changed': {
    was: { about: { annotations: { readOnly: true } } },
    is: { about: { annotations: { destructive: true } } },
    not: unchanged,
  },
  'tool-confirmation-added': { was: {}, is: { about: asks }, not: { was: { about: asks }, is: {} } },
  'tool-confirmation-removed': { was: { about: asks }, is: {}, not: { was: {}, is: { about: asks } } },
  'tool-confirmation-changed': {
    was: { about: asks },
    is: { about: { confirmation: { prompt: 'Really?' } } },
    not: { was: {}, is: { about: asks } },
  },
  'tool-confirmation-narrowed': {
    was: { about: asksOver(100) },
    is: { about: asksOver(500) },
    not: { was: { about: asksOver(500) }, is: { about: asksOver(100) } },
  },
  'tool-confirmation-widened': {
    was: { about: asksOver(100) },
    is: { about: asks },
    not: { was: { about: asks }, is: { about: asksOver(100) } },
  },
  'tool-default-layers-changed': {
    was: { about: { defaultLayers: { timeoutMs: 30_000 } } },
    is: { about: { defaultLayers: { timeoutMs: 5_000, attempts: 2 } } },
    not: unchanged,
  },
  'tool-data-flow-changed': {
    was: { about: { reads: ['private'] } },
    is: { about: { reads: ['private', 'untrusted'] } },
    not: unchanged,
  },
  'tool-max-result-changed': {
    was: { about: { maxResult: { items: 50 } } },
    is: { about: { maxResult: { tokens: 2_000 } } },
    not: unchanged,
  },
  'tool-value-exposed': {
    was: { result: object(id), about: { sensitive: { result: { '/id': { model: 'pseudonym', events: 'omit' } } } } },
    is: { result: object(id), about: { sensitive: { result: { '/id': { model: 'pseudonym' } } } } },
    not: {
      was: { result: object(id), about: { sensitive: { result: { '/id': { events: 'omit' } } } } },
      is: { result: object({}) },
    },
  },
  'tool-value-hidden': {
    was: { result: object(id) },
    is: { result: object(id), about: { sensitive: { result: { '/id': { events: 'omit' } } } } },
    not: {
      was: { result: object(id), about: { sensitive: { result: { '/id': { events: 'omit' } } } } },
      is: { result: object(id) },
    },
  },
  'tool-check-added': {
    was: {},
    is: { about: { needsCheck: true } },
    not: { was: { about: { needsCheck: true } }, is: {} },
  },
  'tool-check-removed': {
    was: { about: { needsCheck: true } },
    is: {},
    not: { was: {}, is: { about: { needsCheck: true } } },
  },
  'tool-name-changed': {
    was: { about: { toolName: 'orders_getOrder' } },
    is: { about: { toolName: 'get_order' } },
    not: unchanged,
  },
  'tool-remote-name-changed': { was: { remote: 'get_order' }, is: { remote: 'fetch_order' }, not: unchanged },
  'tool-streams': { was: {}, is: { updates: text }, not: { was: { updates: text }, is: { updates: open } } },
  'tool-streams-no-more': { was: { updates: text }, is: {}, not: { was: { updates: text }, is: { updates: open } } },
  'error-status-removed': {
    was: { errors: { 404: object(id), 409: object(id) } },
    is: { errors: { 404: object(id) } },
    not: { was: { errors: { 404: object(id) } }, is: {} },
  },
  'error-status-added': {
    was: { errors: { 404: object(id) } },
    is: { errors: { 404: object(id), 409: object(id) } },
    not: { was: {}, is: { errors: { 404: object(id) } } },
  },
  'failure-removed': {
    was: { failures: { order_shipped: shipped, sold_out: soldOut } },
    is: { failures: { sold_out: soldOut } },
    not: { was: {}, is: { failures: { sold_out: soldOut } } },
  },
  'failure-added': {
    was: { failures: { order_shipped: shipped } },
    is: { failures: { order_shipped: shipped, sold_out: soldOut } },
    not: { was: { failures: { sold_out: soldOut } }, is: {} },
  },
  'failure-data-changed': {
    was: { failures: { sold_out: soldOut } },
    is: { failures: { sold_out: { ...soldOut, schema: object(id) } } },
    not: {
      was: { failures: { order_shipped: shipped } },
      is: { failures: { order_shipped: { ...shipped, schema: object({ ...id, carrier: text }) } } },
    },
  },
  'failure-described-otherwise': {
    was: { failures: { sold_out: soldOut } },
    is: { failures: { sold_out: { hint: 'Sold out. Offer a voucher.', action: 'replan' } } },
    not: {
      was: { failures: { sold_out: soldOut } },
      is: { failures: { sold_out: soldOut, order_shipped: shipped } },
    },
  },
  'server-owned-source-added': {
    was: {},
    is: { serverOwned: sessionOwned },
    not: { was: { serverOwned: sessionOwned }, is: { serverOwned: { session: sessionOwned.sessionId } } },
  },
  'server-owned-source-removed': {
    was: { serverOwned: sessionOwned },
    is: {},
    not: { was: {}, is: { serverOwned: sessionOwned } },
  },
  'server-owned-narrowed': {
    was: { serverOwned: sessionOwned },
    is: { serverOwned: { sessionId: { from: 'sessionId', schema: { type: 'string', maxLength: 8 } } } },
    not: {
      was: { serverOwned: { sessionId: { from: 'sessionId', schema: { type: 'string', maxLength: 8 } } } },
      is: { serverOwned: sessionOwned },
    },
  },
}

const ordersUse = { toolset: 'orders', provider: 'service', tools: { getOrder: 'orders_getOrder' } }
const support = (agent: AgentSketch): Sketch => ({ tools: ['getOrder', 'findOrder'], agents: { support: agent } })
const uses = support({ uses: { orders: ordersUse } })
const usesBoth = support({
  uses: { orders: { ...ordersUse, tools: { getOrder: 'orders_getOrder', findOrder: 'orders_findOrder' } } },
})

const review = (args: Schema, description?: string): Sketch => ({
  prompts: { review: { arguments: args, ...(description !== undefined && { description }) } },
})
const day = (uriTemplate: string, variables: Schema, description?: string): Sketch => ({
  resourceTemplates: { day: { uriTemplate, variables, ...(description !== undefined && { description }) } },
})
const language = { language: text }
const both = { ...language, focus: text }
const list: Schema = { type: ['string', 'array'], items: text }

/** Returns an example whose reverse change is not reported. */
function oneWay(was: Sketch, is: Sketch): RuleExample {
  return { was, is, not: { was: is, is: was } }
}

const promptExamples: Readonly<Record<string, RuleExample>> = {
  'prompt-removed': oneWay(review(object({})), {}),
  'prompt-added': oneWay({}, review(object({}))),
  'prompt-described-otherwise': {
    was: review(object(language), 'Reviews code.'),
    is: review(object(language), 'Reviews programs.'),
    not: { was: review(object(language), 'Reviews code.'), is: review(object(both), 'Reviews code.') },
  },
  'prompt-argument-required': oneWay(review(object(language)), review(object(language, ['language']))),
  'prompt-argument-optional': oneWay(review(object(language, ['language'])), review(object(language))),
  'prompt-argument-removed': oneWay(review(object(both)), review(object(language))),
  'prompt-argument-added': oneWay(review(object(language)), review(object(both))),
  'resource-template-removed': oneWay(day('memo:{day}', object({ day: text }, ['day'])), {}),
  'resource-template-added': oneWay({}, day('memo:{day}', object({ day: text }, ['day']))),
  'resource-template-described-otherwise': {
    was: day('memo:{day}', object({ day: text }, ['day']), 'A note.'),
    is: day('memo:{day}', object({ day: text }, ['day']), 'The note of a day.'),
    not: {
      was: day('memo:{day}', object({ day: text }, ['day']), 'A note.'),
      is: day('memo:{day}{?lang}', object({ day: text, lang: text }, ['day']), 'A note.'),
    },
  },
  'resource-template-uri-changed': {
    was: day('memo:{day}', object({ day: text }, ['day'])),
    is: day('memo:days/{day}', object({ day: text }, ['day'])),
    not: {
      was: day('memo:{day}', object({ day: text }, ['day']), 'A note.'),
      is: day('memo:{day}', object({ day: text }, ['day']), 'The note of a day.'),
    },
  },
  'resource-template-variable-required': oneWay(
    day('memo:{?day}', object({ day: text })),
    day('memo:{day}', object({ day: text }, ['day'])),
  ),
  'resource-template-variable-optional': oneWay(
    day('memo:{day}', object({ day: text }, ['day'])),
    day('memo:{?day}', object({ day: text })),
  ),
  'resource-template-variable-removed': oneWay(
    day('memo:{?day,lang}', object({ day: text, lang: text })),
    day('memo:{?day}', object({ day: text })),
  ),
  'resource-template-variable-added': oneWay(
    day('memo:{?day}', object({ day: text })),
    day('memo:{?day,lang}', object({ day: text, lang: text })),
  ),
  'resource-template-variable-narrowed': oneWay(
    day('memo:{/day*}', object({ day: list }, ['day'])),
    day('memo:{/day}', object({ day: text }, ['day'])),
  ),
  'resource-template-variable-widened': oneWay(
    day('memo:{/day}', object({ day: text }, ['day'])),
    day('memo:{/day*}', object({ day: list }, ['day'])),
  ),
}

const agentExamples: Readonly<Record<string, RuleExample>> = {
  'agent-removed': { was: { agents: { support: {} } }, is: {}, not: { was: {}, is: { agents: { support: {} } } } },
  'agent-added': { was: {}, is: { agents: { support: {} } }, not: { was: { agents: { support: {} } }, is: {} } },
  'agent-described-otherwise': {
    was: support({ about: { description: 'Answers customers.' } }),
    is: support({ about: { description: 'Answers buyers.' } }),
    not: {
      was: support({ about: { description: 'Answers.', instructions: 'Be brief.' } }),
      is: support({ about: { description: 'Answers.', instructions: 'Be kind.' } }),
    },
  },
  'agent-instructed-otherwise': {
    was: support({ about: { description: 'Answers.', instructions: 'Be brief.' } }),
    is: support({ about: { description: 'Answers.' } }),
    not: {
      was: support({ about: { description: 'Answers.', instructions: 'Be brief.' } }),
      is: support({ about: { description: 'Asks.', instructions: 'Be brief.' } }),
    },
  },
  'agent-policy-changed': {
    was: support({ about: { description: 'Answers.', policy: { maxTurns: 5, maxDepth: 2 } } }),
    is: support({ about: { description: 'Answers.', policy: { maxTurns: 6, maxDepth: 2 } } }),
    not: {
      was: support({ about: { description: 'Answers.', policy: { maxTurns: 5, maxDepth: 2 } } }),
      is: support({ about: { description: 'Answers.', policy: { maxDepth: 2, maxTurns: 5 } } }),
    },
  },
  'agent-max-result-changed': {
    was: support({ about: { description: 'Answers.', maxResult: { tokens: 2_000 } } }),
    is: support({ about: { description: 'Answers.', maxResult: { tokens: 4_000 } } }),
    not: {
      was: support({ about: { description: 'Answers.', maxResult: { tokens: 2_000 }, policy: { maxTurns: 5 } } }),
      is: support({ about: { description: 'Answers.', maxResult: { tokens: 2_000 }, policy: { maxTurns: 6 } } }),
    },
  },
  'agent-use-removed': { was: uses, is: support({}), not: { was: support({}), is: uses } },
  'agent-use-added': { was: support({}), is: uses, not: { was: uses, is: support({}) } },
  'agent-use-changed': {
    was: uses,
    is: support({ uses: { orders: { ...ordersUse, provider: 'mcp' } } }),
    not: { was: uses, is: usesBoth },
  },
  'agent-tool-removed': { was: usesBoth, is: uses, not: { was: uses, is: usesBoth } },
  'agent-tool-added': { was: uses, is: usesBoth, not: { was: usesBoth, is: uses } },
  'agent-tool-name-changed': {
    was: uses,
    is: support({ uses: { orders: { ...ordersUse, tools: { getOrder: 'get_order' } } } }),
    // The rename of the tool itself is reported for the tool.
    not: {
      was: { agents: { support: { uses: { orders: ordersUse } } } },
      is: {
        about: { toolName: 'get_order' },
        agents: { support: { uses: { orders: { ...ordersUse, tools: { getOrder: 'get_order' } } } } },
      },
    },
  },
  'agent-export-removed': {
    was: support({ exports: ['orders'] }),
    is: support({}),
    not: { was: support({}), is: support({ exports: ['orders'] }) },
  },
  'agent-export-added': {
    was: support({}),
    is: support({ exports: ['orders'] }),
    not: { was: support({ exports: ['orders'] }), is: support({}) },
  },
}

const idOf = (pattern: string): Sketch => ({ payload: object({ id: { type: 'string', pattern } }) })
const [anyId, numbers, letters] = [idOf('.'), idOf('^\\d'), idOf('^A')]
const examples = { about: { examples: [{ id: '7' }] } }
const recorded = { calls: [{ id: '7' }] }

const recordedExamples: Readonly<Record<string, RuleExample>> = {
  'recorded-example-refused': {
    was: { ...anyId, ...examples },
    is: { ...letters, ...examples },
    not: { was: { ...anyId, ...examples }, is: { ...numbers, ...examples } },
  },
  'recorded-call-refused': {
    was: { ...anyId, ...recorded },
    is: { ...letters, ...recorded },
    not: { was: { ...anyId, ...recorded }, is: { ...numbers, ...recorded } },
  },
  'recorded-tool-missing': {
    was: { tools: ['getOrder', 'findOrder'], calls: [{}] },
    is: { tools: ['findOrder'], calls: [{}] },
    not: { was: { tools: ['getOrder', 'findOrder'], calls: [{}] }, is: { tools: ['getOrder'], calls: [{}] } },
  },
}

/** Examples of all rules. */
export const ruleExamples: ReadonlyMap<string, RuleExample> = new Map([
  ...Object.entries(schemaExamples),
  ...partExamples,
  ...Object.entries(toolExamples),
  ...Object.entries(promptExamples),
  ...Object.entries(agentExamples),
  ...Object.entries(recordedExamples),
])
