import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { assertType, type Equal } from './equal.fixture.js'
import type { Json } from './tool.js'
import { type ArgumentsOf, defineTool, type PayloadOf, type ResultOf, type Tool } from './tool.js'

const payload = z.object({
  orderId: z.string(),
  verbose: z.boolean().default(false),
  sessionId: z.string(),
})
const result = z.object({ id: z.string(), status: z.enum(['open', 'shipped']).default('open') })
const texts = { description: 'Fetch one order.', payload, result }

const getOrder = defineTool({
  ...texts,
  serverOwned: { sessionId: 'sessionId' },
  examples: [{ orderId: 'A-1' }, { orderId: 'A-2', verbose: true }],
  confirmation: { prompt: 'Fetch {{orderId}}?', deniedResult: { id: '' } },
})

// Arguments have the input type of the schema without server-owned fields. Results have the output type.
assertType<Equal<ArgumentsOf<typeof getOrder>, { orderId: string; verbose?: boolean | undefined }>>()
assertType<Equal<PayloadOf<typeof getOrder>, { orderId: string; verbose: boolean; sessionId: string }>>()
assertType<Equal<ResultOf<typeof getOrder>, { id: string; status: 'open' | 'shipped' }>>()
assertType<Equal<typeof getOrder, Tool<typeof payload, typeof result, 'sessionId'>>>()
const value: Tool = getOrder

// `when` of a confirmation is a schema for some of the arguments: a schema of a library, or a JSON Schema.
defineTool({ ...texts, confirmation: { prompt: '?', when: z.object({ verbose: z.literal(true) }) } })
defineTool({ ...texts, confirmation: { prompt: '?', when: { type: 'object', required: ['verbose'] } } })
// @ts-expect-error: another type than that of the field
defineTool({ ...texts, confirmation: { prompt: '?', when: z.object({ verbose: z.string() }) } })
// @ts-expect-error: no such field
defineTool({ ...texts, confirmation: { prompt: '?', when: z.object({ verbos: z.boolean() }) } })

const plainTool = defineTool(texts)
assertType<
  Equal<ArgumentsOf<typeof plainTool>, { orderId: string; sessionId: string; verbose?: boolean | undefined }>
>()

// Every metadata field of a call can fill a payload field.
defineTool({ ...texts, serverOwned: { orderId: 'labels.tenant', sessionId: 'parentToolCallId' } })

defineTool({
  ...texts,
  serverOwned: {
    sessionId: 'sessionId',
    // @ts-expect-error: no such field, beside a right one
    sesionId: 'sessionId',
  },
})
const wrongFields = { sessionId: 'sessionId', sesionId: 'sessionId' } as const
// @ts-expect-error: no such field, in a value that is written elsewhere
defineTool({ ...texts, serverOwned: wrongFields })
defineTool({
  ...texts,
  serverOwned: {
    // @ts-expect-error: no such field of the meta
    sessionId: 'session',
    // @ts-expect-error: labels need a name after a dot
    orderId: 'labels',
  },
})
defineTool({
  ...texts,
  serverOwned: { sessionId: 'sessionId' },
  examples: [
    { orderId: 'A-1' },
    // @ts-expect-error: ill-typed field
    { orderId: 1 },
    // @ts-expect-error: server-owned fields do not belong to the arguments
    { orderId: 'A-1', sessionId: 's' },
    // @ts-expect-error: missing field
    {},
    // @ts-expect-error: unknown field
    { orderId: 'A-1', verbos: true },
  ],
})
defineTool({
  ...texts,
  confirmation: {
    prompt: 'Sure?',
    // @ts-expect-error: not a result of the tool
    deniedResult: { id: '', status: 'gone' },
  },
})
defineTool({
  ...texts,
  // @ts-expect-error: unknown property
  exmaples: [],
})
// @ts-expect-error: description is required
defineTool({ payload, result })
// @ts-expect-error: result is required
defineTool({ description: 'x', payload })
defineTool({
  description: 'x',
  // @ts-expect-error: not a schema
  payload: 'object',
  result,
})

// Only top-level payload fields can be server-owned.
defineTool({
  description: 'x',
  payload: z.object({ meta: z.object({ sessionId: z.string() }) }),
  result,
  serverOwned: {
    // @ts-expect-error: a nested field
    sessionId: 'sessionId',
  },
})

// A tool whose fields are all server-owned has no arguments.
const noArguments = defineTool({
  description: 'x',
  payload: z.object({ sessionId: z.string() }),
  result,
  serverOwned: { sessionId: 'sessionId' },
  examples: [
    {},
    // @ts-expect-error: the tool has no such field
    { orderId: 'A-1' },
  ],
})
assertType<Equal<ArgumentsOf<typeof noArguments>, Record<string, never>>>()

// Examples are an array.
// @ts-expect-error: an object
defineTool({ ...texts, examples: {} })
// @ts-expect-error: one example without an array
defineTool({ ...texts, examples: { orderId: 'A-1', sessionId: 's' } })
const examples: readonly { orderId: string; sessionId: string }[] = []
defineTool({ ...texts, examples })

// In a union, only fields that all variants have can be server-owned. Examples of all variants omit the server-owned field.
const union = defineTool({
  description: 'x',
  payload: z.discriminatedUnion('by', [
    z.object({ by: z.literal('id'), id: z.string(), sessionId: z.string() }),
    z.object({ by: z.literal('email'), email: z.string(), sessionId: z.string() }),
  ]),
  result,
  serverOwned: { sessionId: 'sessionId' },
  examples: [
    { by: 'id', id: 'A-1' },
    { by: 'email', email: 'a@b.c' },
    // @ts-expect-error: a field of the other variant
    { by: 'id', email: 'a@b.c' },
  ],
})
assertType<Equal<ArgumentsOf<typeof union>, { by: 'id'; id: string } | { by: 'email'; email: string }>>()
defineTool({
  description: 'x',
  payload: z.union([z.object({ id: z.string() }), z.object({ email: z.string() })]),
  result,
  serverOwned: {
    // @ts-expect-error: only one variant has it
    id: 'sessionId',
  },
})

// Only declared fields of a loose object can be server-owned. Examples can contain other fields.
defineTool({
  description: 'x',
  payload: z.looseObject({ orderId: z.string(), sessionId: z.string() }),
  result,
  serverOwned: { sessionId: 'sessionId' },
  examples: [
    { orderId: 'A-1', other: 1 },
    // @ts-expect-error: ill-typed field
    { orderId: 1, other: 1 },
  ],
})
defineTool({
  description: 'x',
  payload: z.looseObject({ orderId: z.string() }),
  result,
  serverOwned: {
    // @ts-expect-error: not declared
    other: 'sessionId',
  },
})

// Refined and piped objects keep their fields.
defineTool({
  description: 'x',
  payload: payload.refine(({ orderId }) => orderId !== ''),
  result,
  serverOwned: { sessionId: 'sessionId' },
})
defineTool({
  description: 'x',
  payload: z.string(),
  result,
  serverOwned: {
    // @ts-expect-error: text has no fields
    length: 'sessionId',
  },
})

// Schemas of Zod 3.
const zod3 = defineTool({
  description: 'x',
  payload: z3.object({ orderId: z3.string(), limit: z3.number().default(10), sessionId: z3.string() }),
  result: z3.object({ id: z3.string() }),
  serverOwned: { sessionId: 'sessionId' },
  examples: [
    { orderId: 'A-1' },
    // @ts-expect-error: ill-typed field
    { orderId: 1 },
  ],
})
assertType<Equal<ArgumentsOf<typeof zod3>, { orderId: string; limit?: number | undefined }>>()
assertType<Equal<ResultOf<typeof zod3>, { id: string }>>()

// Schemas of any library that implements Standard Schema.
interface HomeMade<Input, Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'home-made'
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}
declare const homeMade: HomeMade<{ orderId: string; sessionId?: string }, { orderId: string; sessionId: string }>
const standard = defineTool({
  description: 'x',
  payload: homeMade,
  result: homeMade,
  serverOwned: { sessionId: 'sessionId' },
  examples: [
    { orderId: 'A-1' },
    // @ts-expect-error: unknown field
    { order: 'A-1' },
  ],
})
assertType<Equal<ArgumentsOf<typeof standard>, { orderId: string }>>()
assertType<Equal<PayloadOf<typeof standard>, { orderId: string; sessionId: string }>>()
defineTool({
  description: 'x',
  payload: homeMade,
  result: homeMade,
  serverOwned: {
    // @ts-expect-error: no such field
    session: 'sessionId',
  },
})

// JSON Schemas: `properties` contains the field names, and examples are any JSON values.
const jsonSchema = defineTool({
  description: 'x',
  payload: {
    type: 'object',
    properties: { orderId: { type: 'string' }, sessionId: { type: 'string' } },
    required: ['orderId'],
  },
  result: true,
  serverOwned: { sessionId: 'sessionId' },
  examples: [
    { orderId: 'A-1' },
    // @ts-expect-error: not JSON
    { orderId: new Date(0) },
  ],
})
assertType<Equal<PayloadOf<typeof jsonSchema>, Json>>()
assertType<Equal<ResultOf<typeof jsonSchema>, Json>>()
defineTool({
  description: 'x',
  payload: { type: 'object', properties: { orderId: { type: 'string' }, sessionId: { type: 'string' } } },
  result: true,
  serverOwned: {
    sessionId: 'sessionId',
    // @ts-expect-error: no such field
    session: 'sessionId',
  },
})
const elsewhere = { type: 'object', properties: { orderId: { type: 'string' }, sessionId: { type: 'string' } } }
defineTool({
  description: 'x',
  payload: elsewhere,
  result: {},
  serverOwned: {
    sessionId: 'sessionId',
    // @ts-expect-error: no such field
    session: 'sessionId',
  },
})
defineTool({
  description: 'x',
  payload: { oneOf: [{ properties: { a: {}, s: {} } }, { properties: { b: {}, s: {} } }] },
  result: {},
  serverOwned: {
    s: 'sessionId',
    // @ts-expect-error: only one variant has it
    a: 'sessionId',
  },
})
// TypeScript accepts any name if the field names are unknown. The generator reports wrong names.
defineTool({ description: 'x', payload: { $ref: '#/$defs/A' }, result: {}, serverOwned: { anything: 'sessionId' } })
declare const opaque: Record<string, unknown>
defineTool({ description: 'x', payload: opaque, result: opaque, serverOwned: { anything: 'sessionId' } })

void value
