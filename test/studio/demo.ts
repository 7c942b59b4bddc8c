import { readFileSync } from 'node:fs'
import {
  approval,
  type JsonSchema,
  type JsonValue,
  Runtime,
  ToolFailure,
  tool,
  toolset,
  toolsetRegistration,
} from '@toolgen/runtime'
import { base, type ModelDriver, useModel } from '@toolgen/runtime/agents'
import { agentToolsetRegistration, newToolCall, payloadCodec, resultCodec, toolSpec } from '@toolgen/runtime/codegen/v1'
import { calls, type ScriptStep, says, scriptedModel } from '@toolgen/runtime/testing'
import type { DevProject, StudioTools } from '@toolgen/studio'

/** Responses of a scripted model by a part of the last message of the user. */
export type Script = Readonly<Record<string, readonly ScriptStep[]>>

interface DemoTool {
  readonly id: `${string}.${string}`
  readonly title: string
  readonly description: string
  readonly arguments: JsonSchema
  readonly result: JsonSchema
  readonly updates?: JsonSchema
  readonly examples?: readonly JsonValue[]
  readonly more?: Partial<Parameters<typeof toolSpec>[0]>
  readonly run: (args: any, emit: ((update: JsonValue) => unknown) | undefined) => unknown // The demo has no generated types.
}

const orderId = {
  type: 'string',
  pattern: '^A-\\d+$',
  description: 'Order number as printed on the invoice, e.g. A-1001',
} as const
const status = { enum: ['open', 'shipped', 'cancelled'] } as const
const order: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    status,
    total: { type: 'number', description: 'In euros' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, quantity: { type: 'integer' }, unitPrice: { type: 'number' } },
        required: ['sku', 'quantity', 'unitPrice'],
      },
    },
  },
  required: ['id', 'status', 'total'],
}
const lamp = { sku: 'LAMP-1', quantity: 2, unitPrice: 24.5 }

const orderTools: readonly DemoTool[] = [
  {
    id: 'orders.getOrder',
    title: 'Get order',
    description: 'Fetch one order with its line items.',
    arguments: { type: 'object', properties: { orderId }, required: ['orderId'] },
    result: order,
    examples: [{ orderId: 'A-1001' }],
    more: {
      annotations: { readOnly: true },
      serverOwned: [{ field: 'sessionId', from: 'sessionId', schema: { type: 'string' } }],
      callHint: 'Looking up order {{orderId}}',
      resultHint: 'Order {{id}} is {{status}}',
      reads: ['private'],
    },
    run: ({ orderId: id }) => {
      if (id === 'A-404') throw new ToolFailure('There is no order A-404.')
      return { id, status: 'open', total: 49, lines: [lamp] }
    },
  },
  {
    id: 'orders.searchOrders',
    title: 'Search orders',
    description: 'Find orders, newest first.',
    arguments: {
      type: 'object',
      properties: {
        customerId: { type: 'string', description: 'Only the orders of this customer, e.g. C-7' },
        status,
        createdSince: { type: 'string', format: 'date', description: 'Only orders created on this day or later' },
        limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
      },
    },
    result: { type: 'array', items: order },
    examples: [{ customerId: 'C-7', status: 'open' }],
    more: { annotations: { readOnly: true }, callHint: 'Searching orders of {{customerId}}' },
    run: () => [
      { id: 'A-1001', status: 'open', total: 49, lines: [lamp] },
      { id: 'A-1002', status: 'shipped', total: 120.5 },
    ],
  },
  {
    id: 'orders.placeOrder',
    title: 'Place order',
    description: 'Place a new order for a customer.\nThe price is that of the catalogue.',
    arguments: {
      type: 'object',
      properties: {
        customerId: { type: 'string', pattern: '^C-\\d+$', description: 'Customer number, e.g. C-7' },
        lines: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              sku: { type: 'string', minLength: 1, description: 'Article number' },
              quantity: { type: 'integer', minimum: 1, maximum: 99, description: 'Number of pieces' },
            },
            required: ['sku', 'quantity'],
          },
        },
        payment: {
          oneOf: [
            {
              type: 'object',
              properties: { kind: { const: 'card' }, last4: { type: 'string', pattern: '^\\d{4}$' } },
              required: ['kind', 'last4'],
            },
            {
              type: 'object',
              properties: { kind: { const: 'invoice' }, days: { type: 'integer' } },
              required: ['kind'],
            },
          ],
        },
        gift: { type: 'boolean', description: 'Wrap the order as a gift' },
        labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Labels of the shop' },
      },
      required: ['customerId', 'lines', 'payment'],
    },
    result: order,
    examples: [
      { customerId: 'C-7', lines: [{ sku: 'LAMP-1', quantity: 2 }], payment: { kind: 'card', last4: '4242' } },
    ],
    more: { callHint: 'Placing an order for {{customerId}}', resultHint: 'Placed order {{id}}', writes: ['external'] },
    run: ({ lines }) => ({ id: 'A-1003', status: 'open', total: lines.length * 49, lines: [lamp] }),
  },
  {
    id: 'orders.trackParcel',
    title: 'Track parcel',
    description: 'Follow a parcel until it arrives.',
    arguments: { type: 'object', properties: { orderId }, required: ['orderId'] },
    result: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    updates: { type: 'object', properties: { place: { type: 'string' } } },
    examples: [{ orderId: 'A-1002' }],
    more: { annotations: { readOnly: true }, callHint: 'Following the parcel of {{orderId}}' },
    run: async (_, emit) => {
      for (const place of ['Hamburg', 'Hannover', 'Oslo']) await emit?.({ place })
      return { place: 'home' }
    },
  },
]

function registrationOf(tools: readonly DemoTool[]): Parameters<Runtime['registerToolset']>[0] {
  const descriptors = tools.map(({ more, updates, arguments: schema, result, examples = [], ...parts }) => {
    const serverOwned = (more?.serverOwned ?? []).map(({ field }) => field)
    const payload = payloadCodec<any, any>({ schema, serverOwned })
    const output = resultCodec<any, any>({ schema: result })
    const update = updates === undefined ? undefined : resultCodec<any, any>({ schema: updates })
    const { run: _, ...described } = parts
    const spec = toolSpec({ ...described, examples, hash: '0', ...more, id: parts.id }, payload, output, update)
    return {
      ...{ spec, payload, result: output, call: (args: never) => newToolCall(spec, payload, args) },
      ...(update !== undefined && { update }),
    }
  })
  const executor = {
    execute: async ({ tool: { id }, payload, emit }: any) =>
      tools.find((each) => each.id === id)?.run(await payload(), emit),
  }
  const name = tools[0]?.id.split('.')[0] ?? ''
  const described = { name, namespace: 'default', description: '', tools: descriptors }
  return toolsetRegistration({ toolset: described as never, provider: 'service' }, executor)
}

/** Model that answers the last message of the user with its script, and other messages with a sentence. */
export function scriptModel(script: Script): ModelDriver {
  return {
    name: 'scripted',
    model: 'demo-1',
    async ask(request) {
      const last = request.messages.findLastIndex(({ role }) => role === 'user')
      const content = request.messages[last]?.content
      const text = typeof content === 'string' ? content : ''
      const index = request.messages.slice(last).filter(({ role }) => role === 'assistant').length
      const steps = Object.entries(script).find(([part]) => text.includes(part))?.[1]
      const step = steps?.[index] ?? says(`You wrote: ${text}`)
      return scriptedModel([step]).ask(request)
    },
  }
}

function used(step: ReturnType<typeof says>, promptTokens: number, completionTokens: number): ReturnType<typeof says> {
  return { ...step, model: 'demo-1', usage: { promptTokens, completionTokens } }
}

/** Conversations of the demo. */
export const demoScript: Script = {
  'Where is my order A-1001?': [
    used(
      calls(
        { tool: 'orders.getOrder', arguments: { orderId: 'A-1001' } },
        { tool: 'orders.searchOrders', arguments: { customerId: 'C-7' } },
      ),
      812,
      46,
    ),
    ({ messages }) => {
      const result = messages.findLast(({ role }) => role === 'tool')?.content
      const first = messages.find(({ role }) => role === 'tool')?.content
      const shipped = `${String(first)}${String(result)}`.includes('"status":"lost"')
      return used(
        says(
          shipped
            ? 'I am sorry: your order is lost.'
            : 'Order A-1001 is open. It contains two lamps and costs 49 euros.',
        ),
        1104,
        31,
      )
    },
  ],
  'Refund payment P-7, please.': [
    used(calls({ tool: 'desk.ask', arguments: { question: 'Refund P-7' } }), 640, 28),
    used(says('The refund is on its way.'), 790, 12),
  ],
  'Order a lamp for customer seven.': [
    used(
      calls({
        tool: 'orders.placeOrder',
        arguments: { customerId: '7', lines: [], payment: { kind: 'card', last4: '4242' } },
      }),
      655,
      40,
    ),
    used(
      calls({
        tool: 'orders.placeOrder',
        arguments: {
          customerId: 'C-7',
          lines: [{ sku: 'LAMP-1', quantity: 1 }],
          payment: { kind: 'card', last4: '4242' },
        },
      }),
      930,
      44,
    ),
    used(says('I placed order A-1003.'), 1010, 11),
  ],
}

export const clerkScript: Script = {
  'Refund P-7': [
    used(calls({ tool: 'payments.refund', arguments: { paymentId: 'P-7', amount: 49 } }), 310, 22),
    used(says('Refunded 49 euros.'), 360, 9),
  ],
}

/** Returns the agent and the toolsets of the demo. `refunds` contains the arguments of the executed refunds. */
export function demoTools(script: Script = demoScript, nested: Script = clerkScript) {
  const refunds: JsonValue[] = []
  const prices = { 'demo-1': { inputPerMillion: 1.25, outputPerMillion: 10 } }
  const runtime = new Runtime({ prices })
  const payments = toolset(
    'payments',
    tool({
      name: 'refund',
      title: 'Refund a payment',
      description: 'Pay a payment back to the customer.',
      parameters: {
        type: 'object',
        properties: { paymentId: { type: 'string', minLength: 1 }, amount: { type: 'number', minimum: 1 } },
        required: ['paymentId', 'amount'],
      },
      callHint: 'Refunding {{amount}} euros',
      annotations: { destructive: true },
      writes: 'irreversible',
      run: (args) => {
        refunds.push(args)
        return { refunded: args.amount }
      },
    }).layer(approval()),
  )
  const clerk = runtime.registerAgent(
    { name: 'clerk', description: 'Pays payments back.', instructions: 'Be exact.' },
    [payments],
    {
      agent: base(scriptModel(nested)).build(),
    },
  )
  const ask: DemoTool = {
    id: 'desk.ask',
    title: 'Ask the clerk',
    description: 'Ask the clerk about payments.',
    arguments: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
    result: { type: 'string' },
    examples: [{ question: 'Refund P-7' }],
    run: () => undefined,
  }
  const desk = agentToolsetRegistration(
    {
      toolset: registrationOf([ask]).use.toolset,
      agent: { name: 'clerk', description: 'Pays payments back.' },
      tools: { ask: { prose: true } },
    },
    clerk,
  )
  const model = scriptModel(script)
  const design = {
    name: 'support',
    description: 'Answers customers about their orders.',
    instructions: 'Answer in one sentence.',
  }
  const agent = base(model).with(useModel(model)).build()
  const support = runtime.registerAgent(design, [registrationOf(orderTools), payments, desk], { agent })
  return { runtime, support, clerk, refunds, tools: [support, clerk] as readonly StudioTools[] }
}

/** Returns a project with reports as the commands print them. */
export function demoProject(tools: readonly StudioTools[], more: Partial<DevProject> = {}): DevProject {
  const reports = JSON.parse(readFileSync(new URL('demo-reports.json', import.meta.url), 'utf8'))
  return {
    ...{ name: 'shop', generation: 1, canCall: true, problems: [], tools },
    reports: ['lint', 'tokens', 'diff', 'coverage', 'drift'],
    report: async (name) => reports[name],
    countTokens: async (_, definition) => Math.round(JSON.stringify(definition).length / 4.2),
    context: () => ({ sessionId: 's-1' }),
    ...more,
  }
}
