import {
  approval,
  type BoundAgent,
  type BoundToolset,
  type JsonValue,
  Runtime,
  type RuntimeOptions,
  ToolFailure,
  tool,
  toolset,
} from '@toolgen/runtime'
import { base, useModel } from '@toolgen/runtime/agents'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { type ScriptStep, scriptedModel } from '@toolgen/runtime/testing'
import { type DevProject, type DevServer, type Studio, serveStudio } from '@toolgen/studio'
import { onTestFinished } from 'vitest'
import { registrationOf, toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'

export interface ShopOptions extends RuntimeOptions {
  /** Steps of the model of the agent `support`. */
  readonly steps?: readonly ScriptStep[]
  /** Steps of the model of the nested agent `clerk`. */
  readonly nestedSteps?: readonly ScriptStep[]
}

/** Returns an agent with a nested agent, and a toolset without an agent. `ran` contains the arguments with which tools ran. */
export function shop({ steps = [], nestedSteps = [], ...options }: ShopOptions = {}) {
  const ran: unknown[] = []
  const runtime = new Runtime(options)
  const refunds = toolset(
    'payments',
    tool({
      name: 'refund',
      description: 'Pay a payment back.',
      parameters: {
        type: 'object',
        properties: { paymentId: { type: 'string', minLength: 1 }, amount: { type: 'number', minimum: 1 } },
        required: ['paymentId', 'amount'],
      },
      annotations: { destructive: true },
      run: (args) => {
        ran.push(args)
        return { refunded: args.amount }
      },
    }).layer(approval()),
  )
  const clerkModel = scriptedModel(nestedSteps)
  const clerk = runtime.registerAgent({ name: 'clerk', description: 'Pays back.' }, [refunds], {
    agent: base(clerkModel).build(),
  })
  const exported = toolsetOf(
    toolOf('desk.ask', {
      arguments: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
      result: { type: 'string' },
    }),
  )
  const desk = agentToolsetRegistration(
    { toolset: exported, agent: { name: 'clerk', description: 'Pays back.' }, tools: { ask: { prose: true } } },
    clerk,
  )
  const orders = registrationOf(
    toolOf('orders.getOrder', {
      spec: {
        examples: [{ orderId: 'A-1001' }],
        annotations: { readOnly: true },
        serverOwned: [{ field: 'tenant', from: 'labels.tenant', schema: { type: 'string' } }],
      },
    }),
    async ({ payload }) => {
      const { orderId }: any = await payload() // The fixture has no generated types.
      if (orderId === 'A-0')
        throw new ToolFailure('There is no order A-0.', {
          cause: Object.assign(new Error('failed'), { query: 'SELECT from secret_table' }),
        })
      return { id: orderId, total: 42 }
    },
  )
  const reports = toolset(
    'reports',
    tool({
      name: 'build',
      description: 'Build a report.',
      parameters: { type: 'object', properties: { rows: { type: 'integer' } } },
      updates: { type: 'object' },
      run: async function* build({ rows = 3 }: { readonly rows?: number }) {
        for (let row = 1; row <= rows; row += 1) yield { row }
        return { rows }
      },
    }),
  )
  const model = scriptedModel(steps)
  const agent = base(model).with(useModel(model)).build()
  const design = { name: 'support', description: 'Answers customers.', instructions: 'Be brief.' }
  const support = runtime.registerAgent(design, [orders, refunds, desk], { agent })
  const external = runtime.registerToolset({
    ...registrationOf(toolOf('post.send', { result: { type: 'string' } }), () => 'sent'),
  })
  return { ran, runtime, support, clerk, reports: runtime.registerToolset(reports), external, model, clerkModel }
}

export function projectOf(
  tools: readonly (BoundAgent<any> | BoundToolset<any>)[],
  more: Partial<DevProject> = {},
): DevProject {
  return { name: 'shop', generation: 1, canCall: true, reports: [], problems: [], tools, ...more }
}

/** Client of a studio over HTTP. */
export class Client {
  readonly origin: string
  readonly token: string
  readonly #send: (request: Request) => Promise<Response>

  /** @param send sends a request; default: over HTTP */
  constructor({ url: address }: Pick<DevServer, 'url'>, send: (request: Request) => Promise<Response> = fetch) {
    const url = new URL(address)
    this.origin = url.origin
    this.token = url.searchParams.get('token') ?? ''
    this.#send = send
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...Object(init.headers) }
    return this.#send(new Request(`${this.origin}/${path}`, { ...init, headers }))
  }

  async get(path: string): Promise<any> {
    const response = await this.fetch(path)
    return response.json()
  }

  async post(path: string, body: JsonValue | object): Promise<any> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json()
  }

  /** Yields the server-sent events of a path until the server ends the connection. */
  async *stream(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<{ id: string; data: any }> {
    const abort = new AbortController()
    const { body } = await this.fetch(path, { headers, signal: abort.signal })
    let text = ''
    try {
      for await (const chunk of body ?? []) {
        text += new TextDecoder().decode(chunk)
        const messages = text.split('\n\n')
        text = messages.pop() ?? ''
        for (const message of messages) {
          const fields = new Map(
            message.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
          )
          const data = fields.get('data')
          if (data !== undefined) yield { id: fields.get('id') ?? '', data: JSON.parse(data) }
        }
      }
    } finally {
      abort.abort()
    }
  }

  /** Returns all parts of a run when it has ended. */
  async parts(run: string): Promise<readonly any[]> {
    const parts: unknown[] = []
    for await (const { data } of this.stream(`api/runs/${run}/parts`)) parts.push(data)
    return parts
  }

  /** Waits until a run has a status, and returns its record. Throws if the run has ended with another status. */
  async until(run: string, status: string): Promise<any> {
    for await (const { data } of this.stream('api/events')) {
      if (data.kind !== 'run' || data.summary.id !== run) continue
      if (data.summary.status === status) break
      if (!['running', 'waiting'].includes(data.summary.status)) {
        const { text } = await this.get(`api/runs/${run}`)
        throw new Error(`The run ${run} is ${data.summary.status}, not ${status}. ${text ?? ''}`)
      }
    }
    return this.get(`api/runs/${run}`)
  }
}

/** Returns a client of a studio that is mounted in this process. */
export function mounted(
  studio: Studio,
  tools: readonly (BoundAgent<any> | BoundToolset<any>)[],
  canCall = false,
): Client {
  return new Client({ url: 'http://shop.example' }, studio.handler({ tools, canCall, authorize: () => true }))
}

/** Serves a project until the end of the test. */
export async function serve(project: DevProject): Promise<Client> {
  const server = await serveStudio(project, { port: 0 })
  onTestFinished(() => server.close())
  return new Client(server)
}
