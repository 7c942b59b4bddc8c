import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  approval,
  type BoundAgent,
  mcpExecutor,
  Runtime,
  runConfig,
  type ToolOutcome,
  toolsetRegistration,
} from '@toolgen/runtime'
import {
  type AgentRun,
  type Answers,
  answer,
  base,
  callTools,
  type Planner,
  type RunSuspension,
  signSuspensions,
  useTools,
} from '@toolgen/runtime/agents'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { durableAgents } from '@toolgen/runtime/durable'
import { httpCaller, inMemoryCaller, type McpCaller, stdioCaller } from '@toolgen/runtime/mcp'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { calls, memoryEngine, openCassette, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { suspended } from '../durable/engine-suite.js'
import { askingServer } from './asking-server.mjs'
import { atEnd, endAll } from './http-server.fixture.js'
import { newServerOverHttp } from './new-server.fixture.js'
import { importedAs } from './served.fixture.js'

afterEach(endAll)

type Reach = (options?: Partial<Parameters<typeof stdioCaller>[0]>) => Promise<McpCaller>

/** A caller in another process or after a restart: it shares nothing with the callers before it. */
const overStdio: Reach = async (options) => {
  const script = fileURLToPath(new URL('./asking-server.mjs', import.meta.url))
  const caller = stdioCaller({ command: process.execPath, args: [script], ...options })
  atEnd(() => caller.close())
  return caller
}

const overHttp: Reach = async (options) => {
  const { url } = await newServerOverHttp(undefined, askingServer)
  const caller = httpCaller({ url, ...options })
  atEnd(() => caller.close())
  return caller
}

const imported = importedAs('asking', {
  book: {},
  trip: {},
  roots: {},
  again: {},
  script: {},
  length: {},
  empty: {},
})

const registrationOver = (caller: McpCaller) =>
  toolsetRegistration(
    { toolset: imported.toolset, provider: 'mcp' },
    mcpExecutor(imported, caller, { onDrift: 'ignore' }),
  )

/** Calls one tool and returns its result. */
const calling =
  (...tools: readonly string[]): Planner =>
  ({ outcomes }) =>
    outcomes.length > 0
      ? answer(outcomes.map((outcome) => (outcome.status === 'completed' ? outcome.json : outcome.status)).join())
      : callTools(...tools.map((name) => ({ tool: `asking.${name}`, arguments: '{}', toolCallId: name })))

function agentOver(caller: McpCaller, planner: Planner, runtime: Runtime = new Runtime()): BoundAgent {
  return runtime.registerAgent({ name: 'travel', description: 'Books.' }, [registrationOver(caller)], { planner })
}

const stored = ({ suspension }: AgentRun): RunSuspension => JSON.parse(JSON.stringify(suspension))
const accept = (content: Record<string, string | number>) => ({ action: 'accept', content }) as const

describe.each([
  ['stdio', overStdio],
  ['Streamable HTTP', overHttp],
])('a question of a server over %s', (_, reach) => {
  it('suspends the run, which other processes continue with the answers', async () => {
    const runtime = () => new Runtime({ suspensions: signSuspensions({ key: 's'.repeat(32) }) })
    const agent = async () => agentOver(await reach(), calling('book'), runtime())
    const first = await (await agent()).run('Book it.')
    expect(first).toMatchObject({ status: 'suspended', suspension: { kind: 'elicitation' } })
    const form = stored(first)
    expect(form.pending).toMatchObject([
      {
        id: 'book/form',
        kind: 'elicitation',
        call: { tool: 'asking.book' },
        prompt: 'How many seats?',
        question: { mode: 'form', message: 'How many seats?', schema: { required: ['seats'] } },
      },
    ])
    const second = await (await agent()).resume(form, { 'book/form': accept({ seats: 3 }) })
    const page = stored(second)
    expect(page.pending).toMatchObject([
      { id: 'book/page', question: { mode: 'url', message: 'Pay.', url: 'https://pay.example.com/1' } },
    ])
    const last = await (await agent()).resume(page, { 'book/page': { action: 'accept' } })
    expect(last).toMatchObject({ status: 'completed', result: { text: '{"booked":3,"page":"accept"}' } })
  })

  it.each(['decline', 'cancel'] as const)('receives the answer %s', async (action) => {
    const agent = agentOver(await reach(), calling('book'))
    const run = await agent.resume(stored(await agent.run('Book it.')), { 'book/form': { action } })
    expect(run.result?.text).toBe(`{"booked":0,"form":"${action}"}`)
  })

  it('is answered in the process by `elicit`, which prevents the suspension', async () => {
    const elicit = ({ mode }: { readonly mode: string }) =>
      mode === 'form' ? accept({ seats: 2 }) : ({ action: 'decline' } as const)
    const run = await agentOver(await reach({ elicit }), calling('book')).run('Book it.')
    expect(run.result?.text).toBe('{"booked":2,"page":"decline"}')
  })

  it('waits with the other questions of the call, and all need an answer', async () => {
    const agent = agentOver(await reach(), calling('trip', 'book'))
    const suspension = stored(await agent.run('Plan it.'))
    expect(suspension.pending.map(({ id, prompt }) => [id, prompt])).toEqual([
      ['trip/from', 'From where?'],
      ['trip/to~1via', 'To where?'],
      ['book/form', 'How many seats?'],
    ])
    const partly = await agent.resume(suspension, { 'trip/from': accept({ city: 'Bern' }) })
    expect(partly.error?.cause).toMatchObject({ code: 'wrong_answers' })
    expect(partly.error?.message).toContain("Also answer 'trip/to~1via', which belongs to the same call.")
    const trip = await agent.resume(suspension, {
      'trip/from': accept({ city: 'Bern' }),
      'trip/to~1via': { action: 'decline' },
    })
    const rest = stored(trip)
    expect(rest.pending.map(({ id }) => id)).toEqual(['book/form'])
    const { result } = await agent.resume(rest, { 'book/form': { action: 'decline' } })
    expect(result?.text).toBe(
      '{"from":{"action":"accept","content":{"city":"Bern"}},"to/via":{"action":"decline"}},{"booked":0,"form":"decline"}',
    )
  })
})

describe('a suspended question', () => {
  const wrong: readonly [string, Answers, string][] = [
    ['content that violates the schema', { 'book/form': accept({ seats: 0 }) }, "requested schema at '/seats'"],
    ['no content', { 'book/form': { action: 'accept' } }, "at '/seats': The required field"],
    ['an approval', { 'book/form': 'approve' }, "{ action: 'accept', content }, { action: 'decline' }"],
    ['a text', { 'book/form': { text: '3' } }, "{ action: 'accept', content }, { action: 'decline' }"],
    ['a string', '3', "Pending calls: 'book/form' (elicitation)"],
    ['the id of the call', { book: { action: 'decline' } }, "Pending calls: 'book/form' (elicitation)"],
  ]
  it.each(wrong)('rejects %s, and stays open', async (_, answers, message) => {
    const agent = agentOver(await overHttp(), calling('book'))
    const suspension = stored(await agent.run('Book it.'))
    const rejected = await agent.resume(suspension, answers)
    expect(rejected.error?.cause).toMatchObject({ code: 'wrong_answers' })
    expect(rejected.error?.message).toContain(message)
    const run = await agent.resume(suspension, { 'book/form': { action: 'cancel' } })
    expect(run.result?.text).toBe('{"booked":0,"form":"cancel"}')
  })

  it.each<[string, (suspension: any) => void]>([
    [
      'its question',
      ({ pending }) => {
        pending[0].question.message = 'Your password?'
      },
    ],
    [
      'its kind',
      ({ progress }) => {
        progress.outcomes[0].suspension.kind = 'external'
      },
    ],
    [
      'its stored questions',
      ({ progress }) => {
        progress.outcomes[0].suspension.elicitation.questions = {}
      },
    ],
  ])('cannot continue after a change of %s', async (_, change) => {
    const agent = agentOver(await overHttp(), calling('book'))
    const suspension = stored(await agent.run('Book it.'))
    change(suspension)
    const run = await agent.resume(suspension, { 'book/form': accept({ seats: 1 }) })
    expect(run.error?.cause).toMatchObject({ code: 'invalid_form' })
  })

  it('fails the call if the server no longer accepts its state', async () => {
    const agent = agentOver(await overHttp(), calling('book'))
    const suspension: any = stored(await agent.run('Book it.'))
    suspension.progress.outcomes[0].suspension.elicitation.requestState = 'forged'
    const run = await agent.resume(suspension, { 'book/form': accept({ seats: 1 }) })
    expect(run.outcomes).toMatchObject([{ status: 'failed' }])
  })

  it('of a call outside a run continues with `resumeCall`', async () => {
    const tools = new Runtime().registerToolset(registrationOver(await overHttp()))
    const call = { tool: 'asking.book', arguments: '{}' }
    const copy = (outcome: ToolOutcome): any =>
      outcome.status === 'suspended' ? JSON.parse(JSON.stringify(outcome.suspension)) : undefined
    const form = copy(await tools.execute(call))
    expect(Object.keys(form.elicitation.questions)).toEqual(['form'])
    const rejected = async (suspension: any, answers: any): Promise<string> => {
      const outcome = await tools.resumeCall(suspension, answers)
      return outcome.status === 'failed' ? outcome.error.message : outcome.status
    }
    expect(await rejected(form, { form: accept({ seats: 0 }) })).toContain("requested schema at '/seats'")
    expect(await rejected(form, { page: { action: 'decline' } })).toContain("'page' is not a question.")
    expect(await rejected(form, { form: 'approve' })).toContain("Answer 'form' with { action: 'accept', content }")
    expect(await rejected(form, 'three')).toContain('Pass an object that maps the keys of the questions to answers.')
    expect(await rejected({ ...form, elicitation: {} }, {})).toContain('no valid questions of an MCP server')
    const page = copy(await tools.resumeCall(form, { form: accept({ seats: 4 }) }))
    const outcome = await tools.resumeCall(page, { page: { action: 'cancel' } })
    expect(outcome).toMatchObject({ status: 'completed', json: '{"booked":4,"page":"cancel"}' })
  })

  it('comes after an approval, which is not asked again', async () => {
    const decisions: unknown[] = ['suspend', 'deny']
    const env = { approval: { approve: async () => decisions.shift() as 'suspend' } }
    const agent = agentOver(await overHttp(), calling('book')).layer(approval())
    const waiting = stored(await agent.run('Book it.', { env }))
    expect(waiting.pending).toMatchObject([{ id: 'book', kind: 'approval' }])
    const form = stored(await agent.resume(waiting, { book: 'approve' }, { env }))
    expect(form.pending).toMatchObject([{ id: 'book/form', kind: 'elicitation' }])
    const page = stored(await agent.resume(form, { 'book/form': accept({ seats: 1 }) }, { env }))
    const run = await agent.resume(page, { 'book/page': { action: 'accept' } }, { env })
    expect(run.result?.text).toBe('{"booked":1,"page":"accept"}')
    expect(decisions).toEqual(['deny'])
  })

  it('does not reach the server if a layer changes the arguments: the call starts again', async () => {
    let note = 'first'
    const agent = agentOver(await overHttp(), calling('book')).layer(
      (next) => (request) => next(request.withArguments(JSON.stringify({ note }))),
    )
    const suspension = stored(await agent.run('Book it.'))
    note = 'second'
    const again = await agent.resume(suspension, { 'book/form': { action: 'decline' } })
    expect(stored(again).pending).toMatchObject([{ id: 'book/form', arguments: '{"note":"second"}' }])
  })

  it('of a nested agent is answered through the outer run', async () => {
    const runtime = new Runtime()
    const inner = agentOver(await overHttp(), calling('book'), runtime)
    const exported = { toolset: importedAs('travels', { plan: {} }).toolset, agent: inner.agent }
    const planner: Planner = ({ outcomes }) =>
      outcomes.length > 0
        ? answer(outcomes.map(({ status }) => status).join())
        : callTools({ tool: 'travels.plan', arguments: '{}', toolCallId: 'outer' })
    const agent = runtime.registerAgent(
      { name: 'desk', description: 'Plans.' },
      [agentToolsetRegistration(exported, inner)],
      { planner },
    )
    const suspension = stored(await agent.run('Plan it.'))
    expect(suspension.pending).toMatchObject([{ id: 'outer/book/form', agent: 'travel', kind: 'elicitation' }])
    const wrong = await agent.resume(suspension, { 'outer/book/form': accept({ seats: -1 }) })
    expect(wrong.error?.cause).toMatchObject({ code: 'wrong_answers' })
    const run = await agent.resume(suspension, { 'outer/book/form': { action: 'decline' } })
    expect(run.result?.text).toBe('completed')
  })

  it('is stored with the run of a session', async () => {
    const agent = agentOver(await overHttp(), calling('book'))
    const sessions = new SessionRegistry({ agents: { travel: agent } })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['travel'] })
    const suspension = stored(await session.run(agent, 'Book it.'))
    const run = await session.resume(agent, suspension, { 'book/form': { action: 'decline' } })
    expect(run.result?.text).toBe('{"booked":0,"form":"decline"}')
  })

  it('is replayed with the same answers only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgen-questions-'))
    atEnd(async () => rmSync(folder, { recursive: true }))
    const caller = await overHttp()
    const play = async (mode: 'record' | 'replay', seats: number): Promise<AgentRun> => {
      const cassette = await openCassette(join(folder, 'booking.jsonl'), { mode })
      const config = runConfig().layer(cassette.toolLayer())
      const agent = agentOver(caller, calling('book'))
      const suspension = stored(await agent.run('Book it.', { config }))
      const run = await agent.resume(suspension, { 'book/form': accept({ seats }) }, { config })
      await cassette.close()
      return run
    }
    const recorded = stored(await play('record', 2))
    await caller.close()
    const replayed = stored(await play('replay', 2))
    expect(replayed.pending).toEqual(recorded.pending)
    await expect(play('replay', 3)).rejects.toThrow('resumedWith.form.content.seats: recorded 2 / now 3')
  })

  it('is answered in a durable run', async () => {
    const agent = agentOver(await overHttp(), calling('book'))
    const engine = memoryEngine(durableAgents({ agents: { travel: agent } }))
    const { runId } = await engine.start('travel', 'Book it.')
    const { id, pending } = await suspended(engine, runId)
    expect(pending.map((each) => each.id)).toEqual(['book/form'])
    await expect(engine.answer(runId, id, { 'book/form': accept({ seats: 0 }) })).rejects.toThrow("at '/seats'")
    await engine.answer(runId, id, { 'book/form': { action: 'decline' } })
    expect((await engine.result(runId)).result).toMatchObject({ text: '{"booked":0,"form":"decline"}' })
  })

  it('suspends a program of code mode, which runs on after the answer', async () => {
    const checker = typescriptChecker()
    const sandbox = quickJsSandbox()
    atEnd(async () => void (await Promise.all([checker.close(), sandbox.close()])))
    const code = 'const booked = await asking.book({})\nreturn { booked }'
    const model = scriptedModel([
      calls({ tool: 'run_program', arguments: { code } }),
      ({ messages }) => says(String(messages.at(-1)?.content)),
    ])
    const tools = agentOver(await overHttp(), calling('book'))
    const agent = new Runtime().registerAgent({ name: 'coder', description: 'Writes programs.' }, [], {
      agent: base(model)
        .with(useTools(codeMode(tools, { checker, sandbox })))
        .build(),
    })
    const suspension = stored(await agent.run('Book it.'))
    const [pending] = suspension.pending
    expect(pending).toMatchObject({ kind: 'elicitation', question: { mode: 'form' } })
    const run = await agent.resume(suspension, { [pending?.id ?? '']: { action: 'decline' } })
    expect(run.result?.text).toBe('{"value":{"booked":{"booked":0,"form":"decline"}}}')
  })
})

describe('a call that needs other input', () => {
  it('sends the roots of the caller', async () => {
    const roots = [{ uri: 'file:///srv', name: 'srv' }]
    const run = await agentOver(await overHttp({ roots }), calling('roots')).run('?')
    expect(run.result?.text).toBe(JSON.stringify(roots))
  })

  it.each([
    ['input without end', 'again', 'the server required input again after 10 responses'],
    ['a page that is a script', 'script', 'an address that does not begin with http: or https:'],
    ['a form with a length that is invalid', 'length', 'the response violates the Model Context Protocol'],
    ['a form without a schema', 'empty', 'the response violates the Model Context Protocol'],
  ])('fails for %s', async (_, tool, message) => {
    const [outcome] = (await agentOver(await overHttp(), calling(tool)).run('?')).outcomes
    expect(outcome).toMatchObject({ error: { reason: 'malformed_result', cause: { code: 'malformed' } } })
    expect(outcome?.status === 'failed' && String(outcome.error.cause)).toContain(message)
  })

  it.each(['roots/list', 'sampling/createMessage'])('fails for %s, which the caller does not offer', async (method) => {
    // Servers of the SDK do not send such requests.
    const answers: Record<string, object> = {
      'server/discover': {
        ...{ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, resultType: 'complete' },
        ...{ ttlMs: 0, cacheScope: 'private' },
      },
      'tools/call': { resultType: 'input_required', inputRequests: { question: { method, params: {} } } },
    }
    const connect = async (transport: any): Promise<void> => {
      transport.onmessage = ({ id, method }: any) =>
        void transport.send({ jsonrpc: '2.0', id, result: answers[method] ?? {} })
      await transport.start()
    }
    const caller = inMemoryCaller({ connect })
    atEnd(() => caller.close())
    const [outcome] = (await agentOver(caller, calling('roots')).run('?')).outcomes
    expect(outcome).toMatchObject({ error: { reason: 'malformed_result' } })
    expect(outcome?.status === 'failed' && String(outcome.error.cause)).toContain(`the server requests '${method}'`)
  })
})
