import { newToolCall } from '../call/descriptors.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { Effects } from '../types/call-options.js'
import type { Codec } from '../types/codec.js'
import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type { JsonSchema } from '../types/json.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { MetaField, ToolDescriptor, ToolSpec, ToolsetDescriptor } from '../types/tool.js'

export interface ToolParts {
  readonly arguments?: JsonSchema
  readonly result?: JsonSchema
  readonly spec?: Partial<ToolSpec>
}

export interface OrderArguments {
  readonly orderId: string
  readonly quantity?: number | undefined
  readonly status?: 'open' | 'shipped' | undefined
}

export interface Order {
  readonly id: string
  readonly total: number
}

export const decodes: { count: number } = { count: 0 }

const orderArguments: JsonSchema = {
  type: 'object',
  properties: {
    orderId: { type: 'string', minLength: 1, description: 'Order number as printed on the invoice' },
    quantity: { type: 'integer', minimum: 1, maximum: 100, default: 1 },
    status: { enum: ['open', 'shipped'] },
  },
  required: ['orderId'],
}

const order: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, total: { type: 'number' } },
  required: ['id', 'total'],
}

export function toolOf<Arguments, Result, Needs extends MetaField = never>(
  id: `${string}.${string}`,
  parts: ToolParts = {},
): ToolDescriptor<Arguments, unknown, Result, Needs> {
  const [toolset = '', name = ''] = id.split('.')
  const owned = (parts.spec?.serverOwned ?? []).map((field) => field.field)
  const inner: Codec<Arguments, unknown> = payloadCodec({
    schema: parts.arguments ?? orderArguments,
    ...(owned.length > 0 && { serverOwned: owned }),
  })
  const payload: Codec<Arguments, unknown> = {
    is: (value): value is unknown => inner.is(value),
    decode: (json) => {
      decodes.count += 1
      return inner.decode(json)
    },
    decodeValue: (value) => inner.decodeValue(value),
    encodeValue: (value) => inner.encodeValue(value),
    encode: (value) => inner.encode(value),
    schema: inner.schema,
  }
  const result: Codec<Result> = resultCodec({ schema: parts.result ?? order })
  const spec: ToolSpec = {
    id,
    toolset,
    name,
    namespace: 'default',
    toolName: `${toolset}_${name}`,
    title: name,
    description: `The tool ${name}.`,
    tags: [],
    arguments: payload.schema,
    result: result.schema,
    examples: [],
    serverOwned: [],
    annotations: {},
    hash: '0',
    ...parts.spec,
  }
  return { spec, payload, result, call: (args, options) => newToolCall(spec, payload, args, options) }
}

export const getOrder: ToolDescriptor<OrderArguments, unknown, Order, never> = toolOf('orders.getOrder', {
  spec: { examples: [{ orderId: 'A-1001' }] },
})

export function toolsetOf(...tools: readonly ToolDescriptor[]): ToolsetDescriptor {
  return { name: tools[0]?.spec.toolset ?? 'empty', namespace: 'default', description: 'A toolset.', tools }
}

export function useOf(tools: readonly ToolDescriptor[], more: Partial<ToolsetUse> = {}): ToolsetUse {
  return { toolset: toolsetOf(...tools), provider: 'service', ...more }
}

export function executorOf(execute: (request: ExecutorRequest) => unknown): ToolExecutor {
  return { execute: async (request) => execute(request) }
}

export function registrationOf(
  tool: ToolDescriptor,
  execute: (request: ExecutorRequest) => unknown,
  options: RegistrationOptions = {},
): ToolsetRegistration {
  return toolsetRegistration(useOf([tool]), executorOf(execute), options)
}

export function fixedEffects(start = 1_000): Effects & { advance(milliseconds: number): void } {
  let now = start
  const counts = { toolCall: 0, run: 0, suspension: 0, session: 0 }
  return {
    now: () => now,
    newId: (kind) => {
      counts[kind] += 1
      return `${kind}-${counts[kind]}`
    },
    advance: (milliseconds) => {
      now += milliseconds
    },
  }
}
