import {
  type ApprovalDecision,
  type ApprovalRequest,
  approval,
  type BoundAgent,
  type HasApproval,
  mcpExecutor,
  Runtime,
  retry,
  type ToolOutcome,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
} from '@toolgen/runtime'
import type { AgentRun, Answers, PendingAnswer, Planner, RunSuspension } from '@toolgen/runtime/agents'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { durableAgents } from '@toolgen/runtime/durable'
import { inMemoryCaller, serveMcp } from '@toolgen/runtime/mcp'
import { memoryStore, SessionRegistry } from '@toolgen/runtime/sessions'
import { memoryEngine } from '@toolgen/runtime/testing'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { executorOf, toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { suspended } from '../durable/engine-suite.js'
import { atEnd, endAll } from '../mcp/http-server.fixture.js'
import { importedAs } from '../mcp/served.fixture.js'
import { onceThen } from '../nested/agents.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))
afterEach(endAll)

interface Refund {
  readonly paymentId: string
  readonly amount: number
}

const sent: Refund = { paymentId: 'P-1', amount: 500 }
const lower: Refund = { paymentId: 'P-1', amount: 40 }
const invalid = { paymentId: 'P-1', amount: -1 }

const schema = {
  type: 'object',
  properties: { paymentId: { type: 'string' }, amount: { type: 'number', minimum: 1 } },
  required: ['paymentId', 'amount'],
  additionalProperties: false,
} as const

const refund = toolOf<Refund, unknown>('payments.refund', { arguments: schema, result: {} })

/** Providers of the tool. Each records the arguments that reach its executor. */
const providers = ['service', 'function', 'mcp', 'agent'] as const

/** `retried`: the executor fails once and the call is repeated. `renamed`: the toolset and the tool have other names. */
const modes = ['plain', 'retried', 'renamed'] as const

interface World {
  readonly ran: unknown[]
  readonly runtime: Runtime
  readonly registration: ToolsetRegistration<HasApproval>
  /** Agents that run the tool, by name. */
  readonly agents: Readonly<Record<string, BoundAgent>>
  /** Name with which the model calls the tool. */
  readonly name: string
}

function worldOf(provider: (typeof providers)[number], mode: (typeof modes)[number]): World {
  const ran: unknown[] = []
  const agents: Record<string, BoundAgent> = {}
  const runtime = new Runtime()
  let failures = mode === 'retried' ? 1 : 0
  const run = (payload: unknown): unknown => {
    ran.push(payload)
    failures -= 1
    if (failures >= 0) throw Object.assign(new Error('away'), { status: 503, headers: {} })
    return { refunded: true }
  }
  const names = mode === 'renamed' ? { as: 'billing', toolNames: { refund: 'give_back' } } : {}
  const plain = (): ToolsetRegistration<unknown> => {
    if (provider === 'function') {
      const parameters = schema
      return toolset('payments', tool({ name: 'payments_refund', description: 'Refunds.', parameters, run }))
    }
    if (provider === 'mcp') {
      const imported = importedAs('payments', { refund: { arguments: schema } })
      const caller = {
        callTool: async ({ arguments: json }: { readonly arguments: unknown }) => {
          const structuredContent = run(json) as Readonly<Record<string, unknown>>
          return { content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }], structuredContent }
        },
        listTools: async () => [],
      }
      const executor = mcpExecutor(imported, caller as never, { onDrift: 'ignore' })
      return toolsetRegistration({ toolset: imported.toolset, provider, ...names }, executor)
    }
    if (provider === 'agent') {
      const ledger = toolOf<Refund, unknown>('ledger.write', { arguments: schema, result: {} })
      const planner: Planner = (request) =>
        onceThen([
          { tool: 'ledger.write', arguments: /\{.*\}/s.exec(String(request.messages.at(-1)?.content))?.[0] ?? '' },
        ])(request)
      const clerk = { name: 'clerk', description: 'Writes.' }
      const write = executorOf(async ({ payload }) => run(await payload()))
      const inner = runtime.registerAgent(
        clerk,
        [toolsetRegistration({ toolset: toolsetOf(ledger), provider: 'service' }, write)],
        {
          planner,
        },
      )
      agents.clerk = inner
      const use = { toolset: toolsetOf(refund), provider, ...names }
      return agentToolsetRegistration({ toolset: use.toolset, agent: clerk }, inner, {}, use)
    }
    const executor = executorOf(async ({ payload }) => run(await payload()))
    return toolsetRegistration({ toolset: toolsetOf(refund), provider, ...names }, executor)
  }
  const guarded = plain().layer(approval())
  const again = retry({ attempts: 2, delayMs: () => 0 })
  const registration = mode === 'retried' ? guarded.layer(again) : guarded
  return { ran, runtime, registration, agents, name: mode === 'renamed' ? 'give_back' : 'payments_refund' }
}

/** Answers of the approver, and the arguments that may reach an executor after them. */
const answers = {
  approve: ['approve', [sent]],
  deny: ['deny', []],
  'deny with a reason': [{ decision: 'deny', reason: 'Not today.' }, []],
  'edit the arguments': [{ decision: 'approve', arguments: { ...lower }, by: 'ann' }, [lower]],
  'edit the arguments to invalid ones': [{ decision: 'approve', arguments: invalid }, []],
  'never answer': [undefined, []],
  'remember the tool': [{ decision: 'approve', remember: 'tool' }, [sent]],
} as const satisfies Record<string, readonly [PendingAnswer | undefined, readonly Refund[]]>

type Answer = (typeof answers)[keyof typeof answers][0]

const call = ({ name }: World) => ({ tool: name, arguments: JSON.stringify(sent), toolCallId: 'one' })

const suspending: HasApproval = { approval: { approve: async () => 'suspend' } }

/** An approver that must not be asked. */
const silent: HasApproval = {
  approval: {
    approve: async ({ tool: id }: ApprovalRequest): Promise<ApprovalDecision> => {
      throw new Error(`asked again about ${id}`)
    },
  },
}

const stored = ({ suspension }: AgentRun): RunSuspension => JSON.parse(JSON.stringify(suspension))

function deskOf(world: World): BoundAgent<HasApproval> {
  const planner = onceThen([call(world)])
  return world.runtime.registerAgent({ name: 'desk', description: 'Settles.' }, [world.registration], { planner })
}

/** Ids of the pending calls of a suspension with the same answer to each. */
function answersTo({ pending }: Pick<RunSuspension, 'pending'>, given: PendingAnswer): Answers {
  return Object.fromEntries(pending.map(({ id }) => [id, given]))
}

/** Ways in which a call gets its approval. `remembers`: a session remembers the approval. */
const paths: Readonly<Record<string, { readonly remembers?: true; run(world: World, given: Answer): Promise<void> }>> =
  {
    'the approver of env': {
      async run(world, given) {
        const approve = async (): Promise<ApprovalDecision> => given ?? 'suspend'
        await deskOf(world).execute(call(world), { env: { approval: { approve } } })
      },
    },
    'a suspended run': {
      async run(world, given) {
        const desk = deskOf(world)
        const run = await desk.run('?', { env: suspending })
        if (given !== undefined) await desk.resume(stored(run), answersTo(stored(run), given), { env: silent })
      },
    },
    'a suspended run, whose process restarted': {
      async run(world, given) {
        const run = await deskOf(world).run('?', { env: suspending })
        if (given === undefined) return
        const restarted = deskOf({ ...world, runtime: new Runtime() })
        await restarted.resume(stored(run), answersTo(stored(run), given), { env: silent })
      },
    },
    'a nested agent': {
      async run(world, given) {
        const serve = toolOf('desk.serve', { arguments: {}, result: {} })
        const boss = world.runtime.registerAgent(
          { name: 'boss', description: 'Delegates.' },
          [
            agentToolsetRegistration(
              { toolset: toolsetOf(serve), agent: { name: 'desk', description: 'Settles.' } },
              deskOf(world) as BoundAgent,
            ),
          ],
          { planner: onceThen([{ tool: 'desk.serve', arguments: '{}', toolCallId: 'outer' }]) },
        ) as BoundAgent
        const run = await boss.run('?', { env: suspending })
        expect(stored(run).pending.map(({ id }) => id)).toEqual(['outer/one'])
        if (given !== undefined) await boss.resume(stored(run), { 'outer/one': given }, { env: silent })
      },
    },
    'a session': {
      remembers: true,
      async run(world, given) {
        const desk = deskOf(world)
        const sessions = new SessionRegistry({ agents: { desk }, store: memoryStore() })
        const session = await sessions.open('s', { userId: 'u', namespaces: ['desk'] })
        const run = await session.run(desk, '?', { env: suspending })
        if (given === undefined) return
        await session.resume(desk, stored(run), answersTo(stored(run), given), { env: silent })
      },
    },
    'a program of code mode': {
      async run(world, given) {
        const desk = deskOf(world)
        const program = world.runtime.registerToolset(codeMode(desk, { checker, sandbox }))
        const space = world.name === 'give_back' ? 'billing' : 'payments'
        const method = world.registration.use.toolset.tools[0]?.spec.name ?? ''
        const code = `return await ${space}.${method}(${JSON.stringify(sent)})`
        const codeCall = { tool: 'run_program', arguments: JSON.stringify({ code }), toolCallId: 'p' }
        const outcome = await program.execute(codeCall, { env: suspending })
        const suspension = suspensionOf(outcome)
        if (given === undefined || suspension.nested === undefined) return
        await program.resumeCall(suspension, answersTo(suspension.nested, given), { env: silent })
      },
    },
    'a client of the MCP server': {
      async run(world, given) {
        const asked: string[] = []
        const elicit = ({ message }: { readonly message: string }) => {
          asked.push(message)
          if (given === undefined) return { action: 'cancel' } as const
          if (typeof given === 'object' && given.decision === 'approve' && 'arguments' in given)
            return { action: 'accept', content: { ...given.arguments } } as const
          return {
            action:
              given === 'approve' || (typeof given === 'object' && given.decision === 'approve') ? 'accept' : 'decline',
          } as const
        }
        const connect = async (transport: any): Promise<void> =>
          void (await serveMcp<any>(new Runtime(), {
            toolsets: [world.registration],
            context: () => ({ env: suspending }),
            transport,
          }))
        const caller = inMemoryCaller({ connect }, { elicit })
        atEnd(() => caller.close())
        const { signal } = new AbortController()
        const [served] = await caller.listTools()
        // The client itself rejects a form that does not match its schema.
        await caller.callTool({ name: served?.name ?? '', arguments: { ...sent } }, { signal }).catch(() => undefined)
        expect(asked).toHaveLength(1)
      },
    },
    'a durable run': {
      async run(world, given) {
        const engine = memoryEngine(
          durableAgents({ agents: { desk: deskOf(world), ...world.agents }, env: () => suspending }),
        )
        await engine.start('desk', '?', { runId: 'r' })
        const suspension = await suspended(engine, 'r')
        if (given === undefined) return
        await engine.answer('r', suspension.id, answersTo(suspension, given))
        // After an invalid edit, the run asks again.
        const isAskedAgain = async (): Promise<boolean> => {
          const status = await engine.status('r')
          return status.status === 'suspended' && status.suspension.id !== suspension.id
        }
        const isOver = async (): Promise<boolean> => (await engine.status('r')).status === 'ended' || isAskedAgain()
        await expect.poll(isOver).toBe(true)
        expect(await isAskedAgain()).toBe(given === answers['edit the arguments to invalid ones'][0])
        if (await isAskedAgain()) {
          const again = await suspended(engine, 'r')
          await engine.answer('r', again.id, answersTo(again, 'deny'))
        }
        await engine.result('r')
      },
    },
  }

function suspensionOf(outcome: ToolOutcome) {
  if (outcome.status !== 'suspended') throw new Error(`not suspended: ${JSON.stringify(outcome)}`)
  return JSON.parse(JSON.stringify(outcome.suspension)) as typeof outcome.suspension
}

/** A hand-written toolset cannot be renamed. Failures of MCP servers and of nested runs are not repeated by a layer. */
const applies = (provider: (typeof providers)[number], mode: (typeof modes)[number]): boolean =>
  mode === 'plain' || provider === 'service' || (mode === 'retried' ? provider === 'function' : provider !== 'function')

describe.each(Object.keys(paths))('arguments that reach the executor through %s', (path) => {
  const cells = providers.flatMap((provider) =>
    modes
      .filter((mode) => applies(provider, mode))
      .flatMap((mode) => Object.keys(answers).map((given) => [given, provider, mode] as const)),
  )
  it.each(cells)('%s: %s, %s', async (given, provider, mode) => {
    const [decision, expected] = answers[given as keyof typeof answers]
    const { remembers, run } = paths[path] ?? {}
    const world = worldOf(provider, mode)
    await run?.(world, decision)
    // Only a session can remember; a rule that cannot be remembered fails the call.
    const isRefused = given === 'remember the tool' && remembers !== true && path !== 'a client of the MCP server'
    const once: readonly Refund[] = isRefused ? [] : expected
    expect(world.ran).toEqual(mode === 'retried' ? [...once, ...once] : once)
  })
})

it('the model reads which call of its program ran with changed arguments', async () => {
  const world = worldOf('service', 'plain')
  const program = world.runtime.registerToolset(codeMode(deskOf(world), { checker, sandbox }))
  const code = `return await payments.refund(${JSON.stringify(sent)})`
  const approve = async (): Promise<ApprovalDecision> => ({ decision: 'approve', arguments: lower })
  const codeCall = { tool: 'run_program', arguments: JSON.stringify({ code }), toolCallId: 'p' }
  const outcome = await program.execute(codeCall, { env: { approval: { approve } } })
  const line = `payments.refund: The approver changed the arguments of this call to ${JSON.stringify(lower)}`
  expect(outcome).toMatchObject({ result: { data: { value: { refunded: true }, console: [line] } } })
})
