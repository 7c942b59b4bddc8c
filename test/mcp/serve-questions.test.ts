import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type ClientCapabilities, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { getOrder } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, ask, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import {
  approval,
  type BoundAgent,
  type ExecutorRequest,
  type HasApproval,
  mcpExecutor,
  Runtime,
  type ToolLayer,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import {
  httpCaller,
  inMemoryCaller,
  type McpAnswer,
  type McpQuestion,
  type SdkCaller,
  serveMcp,
} from '../../packages/runtime/src/mcp.js'
import { agents, lookingUp } from '../nested/agents.fixture.js'
import { askingServer } from './asking-server.mjs'
import { atEnd, endAll } from './http-server.fixture.js'
import { newServerOverHttp } from './new-server.fixture.js'
import { importedAs } from './served.fixture.js'

afterEach(endAll)

const { signal } = new AbortController()
const askLater = { context: () => ({ env: { approval: { approve: async () => 'suspend' as const } } }) }

/** A tool that needs an approval, and the arguments with which it ran. */
function shop(): { readonly tools: ToolsetRegistration<HasApproval>; readonly done: unknown[] } {
  const done: unknown[] = []
  const parameters = { type: 'object', properties: { id: { type: 'string', pattern: '.' } }, required: ['id'] } as const
  const run = async (args: unknown) => done.push(args)
  const cancel = tool({ name: 'cancel', description: 'Cancels an order.', parameters, run })
  return { tools: toolset('orders', cancel).layer(approval()), done }
}

type Served = Parameters<typeof serveMcp<any>>[1]
/** Calls the only tool of a service, and returns the text of the result. */
type CallTool = (args: Record<string, string>) => Promise<unknown>
type Answer = (question: McpQuestion) => McpAnswer

const first = (result: any) => ({ text: result.content[0].text, ...(result.isError && { isError: true }) })

const callOf =
  (caller: SdkCaller): CallTool =>
  async (args) => {
    const [tool] = await caller.listTools()
    return first(await caller.callTool({ name: tool?.name ?? '', arguments: args }, { signal }))
  }

async function served(options: Omit<Served, 'transport'>): Promise<string> {
  const service = await serveMcp<any>(new Runtime(), { ...options, transport: { port: 0 } } as Served)
  atEnd(() => service.close())
  return service.url ?? ''
}

const clients: readonly [
  string,
  (options: Omit<Served, 'transport'>, elicit: Answer | undefined) => Promise<CallTool>,
][] = [
  [
    'protocol 2026-07-28 over Streamable HTTP',
    async (options, elicit) => {
      const caller = httpCaller({ url: await served(options), ...(elicit && { elicit }) })
      atEnd(() => caller.close())
      return callOf(caller)
    },
  ],
  [
    'protocol 2026-07-28 over the stdio service',
    async (options, elicit) => {
      const connect = async (transport: any): Promise<void> =>
        void (await serveMcp<any>(new Runtime(), { ...options, transport } as Served))
      const caller = inMemoryCaller({ connect }, elicit && { elicit })
      atEnd(() => caller.close())
      return callOf(caller)
    },
  ],
  [
    'an older protocol over Streamable HTTP',
    async (options, elicit) => {
      const capabilities: ClientCapabilities = elicit === undefined ? {} : { elicitation: { form: {}, url: {} } }
      const client = new Client({ name: 'test', version: '1' }, { capabilities })
      atEnd(() => client.close())
      await client.connect(new StreamableHTTPClientTransport(new URL(await served(options))))
      if (elicit !== undefined) {
        client.setRequestHandler(ElicitRequestSchema, ({ params }: any) => {
          const { mode = 'form', message, url, requestedSchema: schema } = params
          return elicit(mode === 'url' ? { mode, message, url } : { mode, message, schema }) as any
        })
      }
      return async (args) => {
        const [tool] = (await client.listTools()).tools
        return first(await client.callTool({ name: tool?.name ?? '', arguments: args }))
      }
    },
  ],
]

const recording = (questions: McpQuestion[], ...answers: readonly McpAnswer[]): Answer => {
  const left = [...answers]
  return (question) => {
    questions.push(question)
    return left.shift() ?? { action: 'cancel' }
  }
}

describe.each(clients)('a client with %s', (_, open) => {
  it.each([
    ['accept', { text: '1' }, [{ id: 'A-1' }]],
    ['decline', { isError: true, text: expect.stringContaining('The approval was not granted.') }, []],
    ['cancel', { isError: true, text: expect.stringContaining('The approval was not granted.') }, []],
  ] as const)('asks its user for the approval of a suspended call: %s', async (action, result, calls) => {
    const { tools, done } = shop()
    const questions: McpQuestion[] = []
    const call = await open({ toolsets: [tools], ...askLater }, recording(questions, { action }))
    expect(await call({ id: 'A-1' })).toEqual(result)
    expect(done).toEqual(calls)
    expect(questions.map(({ message }) => message)).toEqual([
      'Allow the tool \'orders.cancel\' to run with the arguments {"id":"A-1"}?',
    ])
  })

  it('lets its user change the arguments, and reads that they were changed', async () => {
    const { tools, done } = shop()
    const questions: McpQuestion[] = []
    const answers = recording(questions, { action: 'accept', content: { id: 'A-2' } })
    const call = await open({ toolsets: [tools], ...askLater }, answers)
    expect(await call({ id: 'A-1' })).toEqual({ text: '1' })
    expect(done).toEqual([{ id: 'A-2' }])
    expect(questions).toMatchObject([{ schema: { properties: { id: { type: 'string', default: 'A-1' } } } }])
  })

  it('cannot change the arguments to invalid ones', async () => {
    const { tools, done } = shop()
    const call = await open(
      { toolsets: [tools], ...askLater },
      recording([], { action: 'accept', content: { id: '' } }),
    )
    expect(await call({ id: 'A-1' })).toMatchObject({ isError: true })
    expect(done).toEqual([])
  })

  it('reads what a call waits for if it cannot ask its user', async () => {
    const { tools, done } = shop()
    const call = await open({ toolsets: [tools], ...askLater }, undefined)
    const text = 'The call waits for the approval of a person. The tool has not run.'
    expect(await call({ id: 'A-1' })).toEqual({ isError: true, text })
    expect(done).toEqual([])
  })

  it('is not asked for an external result', async () => {
    const layer: ToolLayer = () => (request) => request.suspend('external')
    const { tools } = shop()
    const call = await open({ toolsets: [tools.layer(layer)], ...askLater }, recording([], { action: 'accept' }))
    const approved = await call({ id: 'A-1' })
    expect(approved).toEqual({ isError: true, text: 'The call has started. Its result will follow later.' })
  })

  it('answers the questions of a server that the served toolset calls: a form and a page', async () => {
    const { url } = await newServerOverHttp(undefined, askingServer)
    const caller = httpCaller({ url })
    atEnd(() => caller.close())
    const imported = importedAs('asking', { book: {} })
    const executor = mcpExecutor(imported, caller, { onDrift: 'ignore' })
    const toolsets = [toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor)]
    const questions: McpQuestion[] = []
    const answers = recording(questions, { action: 'accept', content: { seats: 2 } }, { action: 'decline' })
    expect(await (await open({ toolsets }, answers))({})).toEqual({ text: '{"booked":2,"page":"decline"}' })
    expect(questions).toMatchObject([
      { mode: 'form', message: 'How many seats?', schema: { required: ['seats'] } },
      { mode: 'url', message: 'Pay.', url: 'https://pay.example.com/1' },
    ])
  })

  it('answers the question of an agent behind the tool, as a text', async () => {
    const planner: Planner = ({ messages, outcomes }) => {
      if (outcomes.length > 0) return answer('done')
      const { content } = messages.at(-1) ?? {}
      return content === 'A-7' ? callTools(getOrder.call({ orderId: 'A-7' })) : ask('Which order?')
    }
    const found: unknown[] = []
    const execute = async (request: ExecutorRequest) => {
      found.push(await request.payload())
      return { id: 'A-7', total: 1 }
    }
    const { support } = agents({ inner: { planner }, execute })
    const questions: McpQuestion[] = []
    const answers = recording(questions, { action: 'accept', content: { answer: 'A-7' } })
    expect(await (await open({ toolsets: [support] }, answers))({ topic: 'lamps' })).toEqual({
      text: '{"id":"A-7","total":1}',
    })
    expect(questions).toMatchObject([{ message: 'Which order?', schema: { required: ['answer'] } }])
    expect(found).toMatchObject([{ orderId: 'A-7' }])
    // An agent does not receive words that the user has not said.
    const declined = await open({ toolsets: [support] }, recording([], { action: 'decline' }))
    const text = expect.stringContaining('The user did not answer the question.')
    expect(await declined({ topic: 'lamps' })).toEqual({ isError: true, text })
  })

  it('approves some calls of an agent behind the tool, and denies others', async () => {
    const found: unknown[] = []
    const { support } = agents({
      inner: { planner: lookingUp(['A', 'B']) },
      around: (research) => research.layer(approval()) as BoundAgent,
      execute: async (request) => {
        const { orderId } = (await request.payload()) as { readonly orderId: string }
        found.push(orderId)
        return { id: orderId, total: 1 }
      },
    })
    const questions: McpQuestion[] = []
    const answers = recording(questions, { action: 'decline' }, { action: 'accept' })
    const call = await open({ toolsets: [support], ...askLater }, answers)
    expect(await call({ topic: 'lamps' })).toEqual({ text: '{"id":"B","total":1}' })
    expect(questions.map(({ message }) => /"orderId":"(.)"/.exec(message)?.[1])).toEqual(['A', 'B'])
    expect(found).toEqual(['B'])
  })
})

describe('the state of a call that waits for its user', () => {
  it('is random, belongs to one call, and continues it once', async () => {
    const { tools, done } = shop()
    const caller = httpCaller({ url: await served({ toolsets: [tools], ...askLater }) })
    atEnd(() => caller.close())
    const call = (id: string, requestState?: string, key = 'question-1') =>
      caller.callTool(
        {
          name: 'cancel',
          arguments: { id },
          ...(requestState !== undefined && { requestState, inputResponses: { [key]: { action: 'accept' } } }),
        },
        { signal, allowInputRequired: true },
      )
    const { inputRequired } = await call('A-1')
    expect(Object.keys(inputRequired?.questions ?? {})).toEqual(['question-1'])
    const { requestState = '' } = inputRequired ?? {}
    const expired = { code: 'refused', message: expect.stringContaining('has expired, or was asked by another call') }
    await expect(call('A-1', 'forged')).rejects.toMatchObject(expired)
    await expect(call('A-2', requestState)).rejects.toMatchObject(expired)
    expect(done).toEqual([])
    expect(first(await call('A-1', requestState))).toEqual({ text: '1' })
    await expect(call('A-1', requestState)).rejects.toMatchObject(expired)
    expect(done).toEqual([{ id: 'A-1' }])
  })

  it('does not accept an answer of another form, and the tool does not run', async () => {
    const { tools, done } = shop()
    const caller = httpCaller({ url: await served({ toolsets: [tools], ...askLater }) })
    atEnd(() => caller.close())
    const call = { name: 'cancel', arguments: { id: 'A-1' } }
    const { inputRequired: { requestState = '' } = {} } = await caller.callTool(call, {
      signal,
      allowInputRequired: true,
    })
    const inputResponses: any = { 'question-1': { action: 'maybe' } }
    const result = await caller.callTool({ ...call, requestState, inputResponses }, { signal })
    expect(result).toMatchObject({ isError: true })
    expect(done).toEqual([])
  })
})
