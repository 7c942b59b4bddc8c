import { type BoundAgent, mcpExecutor, Runtime, toolsetRegistration } from '@toolgen/runtime'
import {
  type AgentRun,
  answer,
  base,
  callTools,
  type RunSuspension,
  signSuspensions,
  useTools,
} from '@toolgen/runtime/agents'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { durableAgents } from '@toolgen/runtime/durable'
import { httpCaller, type McpCaller, type McpToolResult, type SdkCaller } from '@toolgen/runtime/mcp'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { calls, memoryEngine, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { suspended } from '../durable/engine-suite.js'
import { atEnd, calledServer, endAll } from './http-server.fixture.js'
import { importedAs } from './served.fixture.js'
import {
  inMemory,
  methods,
  opened,
  overEvents,
  overJson,
  overStdio,
  type ReachedServer,
} from './task-server.fixture.js'
import { asking, question, working } from './task-server.mjs'

afterEach(endAll)

const { signal } = new AbortController()

const answers = { status: 'answers' }
const accept = (content: Record<string, string | number>) => ({ action: 'accept', content }) as const

const run = (caller: McpCaller, args: object, more: object = {}, options: object = {}): Promise<McpToolResult> =>
  caller.callTool({ name: 'run', arguments: args as any, ...more }, { signal, allowInputRequired: true, ...options })

const jsonOf = ({ content }: any): unknown => JSON.parse(content[0].text)

const sent = (server: ReachedServer, method: string): any[] =>
  server.requests().flatMap((request) => (request.method === method ? [request.params] : []))

const updates = (server: ReachedServer): unknown[] =>
  sent(server, 'tasks/update').map((params) => params.inputResponses)

describe.each([
  ['memory', inMemory],
  ['stdio', overStdio],
  ['Streamable HTTP with JSON', overJson],
  ['Streamable HTTP with events', overEvents],
])('questions of a task over %s', (_, reach) => {
  it('suspend the call, which another caller continues', async () => {
    const server = await reach()
    const steps = [
      working(),
      asking({ name: question('name') }),
      asking({ size: question('size', 'integer') }),
      answers,
    ]
    const first = await run(server.caller(), { steps })
    expect(first).toEqual({
      inputRequired: {
        questions: {
          name: { mode: 'form', message: 'Which name?', schema: question('name').params.requestedSchema },
        },
        requestState: expect.any(String),
      },
    })
    const { requestState } = first.inputRequired ?? {}
    const second = await run(server.caller(), {}, { requestState, inputResponses: { name: accept({ name: 'Ada' }) } })
    expect(Object.keys(second.inputRequired?.questions ?? {})).toEqual(['size'])
    const last = await run(
      server.caller(),
      {},
      { requestState: second.inputRequired?.requestState, inputResponses: { size: { action: 'decline' } } },
    )
    expect(jsonOf(last)).toEqual({ name: accept({ name: 'Ada' }), size: { action: 'decline' } })
    expect(updates(server)).toEqual([{ name: accept({ name: 'Ada' }) }, { size: { action: 'decline' } }])
    expect(sent(server, 'tools/call')).toHaveLength(1)
    expect(sent(server, 'tasks/cancel')).toEqual([])
  })

  it('are answered by `elicit`, all in one update', async () => {
    const server = await reach()
    const asked: string[] = []
    const elicit = ({ message }: { readonly message: string }) => {
      asked.push(message)
      return message.includes('name') ? accept({ name: 'Ada' }) : ({ action: 'cancel' } as const)
    }
    const questions = asking({ name: question('name'), size: question('size', 'integer') })
    const result = await run(server.caller({ elicit }), { steps: [working(), { ...questions, isLate: true }, answers] })
    const all = { name: accept({ name: 'Ada' }), size: { action: 'cancel' } }
    expect(jsonOf(result)).toEqual(all)
    expect(updates(server)).toEqual([all])
    expect(asked).toEqual(['Which name?', 'Which size?'])
  })
})

describe('questions of a task', () => {
  const suspend = async (server: ReachedServer, args: object, caller: SdkCaller = server.caller()): Promise<any> => {
    const { inputRequired } = await run(caller, args)
    return inputRequired
  }

  it('are not asked again while the server processes the answers', async () => {
    const server = await inMemory()
    const both = { ...asking({ name: question('name'), size: question('size') }), isLate: true }
    const { requestState } = await suspend(server, {
      steps: [{ ...asking({ name: question('name') }), isLate: true }, both, answers],
    })
    const inputResponses = { name: accept({ name: 'Ada' }) }
    const second: any = await run(server.caller(), {}, { requestState, inputResponses })
    expect(Object.keys(second.inputRequired.questions)).toEqual(['size'])
    const third = { requestState: second.inputRequired.requestState, inputResponses: { size: accept({ size: 'L' }) } }
    expect(jsonOf(await run(server.caller(), {}, third))).toEqual({ ...inputResponses, size: accept({ size: 'L' }) })
    expect(updates(server)).toEqual([inputResponses, { size: accept({ size: 'L' }) }])
  })

  it('can follow a question before the task', async () => {
    const server = await inMemory()
    const args = {
      inputRequests: { sure: question('sure') },
      steps: [asking({ name: question('name') }), answers],
    }
    const { questions, requestState } = await suspend(server, args)
    expect(Object.keys(questions)).toEqual(['sure'])
    expect(requestState).toBe('state of the server')
    const inputResponses = { sure: accept({ sure: 'yes' }) }
    const second: any = await run(server.caller(), args, { requestState, inputResponses })
    const last = { requestState: second.inputRequired.requestState, inputResponses: { name: accept({ name: 'Ada' }) } }
    expect(jsonOf(await run(server.caller(), args, last))).toEqual(last.inputResponses)
    const elicit = ({ message }: { readonly message: string }) => accept({ [message.slice(6, -1)]: 'x' })
    expect(jsonOf(await run(server.caller({ elicit }), args))).toEqual({ name: accept({ name: 'x' }) })
  })

  it('can be repeated by a gateway, whose state is never the state of a task of the caller', async () => {
    const upstream = await inMemory()
    const { requestState: taskState } = await suspend(upstream, { steps: [asking({ name: question('name') })] })
    for (const requestState of [taskState, `toolgen/server:${taskState}`, 'toolgen/']) {
      const server = await inMemory()
      const args = {
        inputRequests: { name: question('name') },
        requestState,
        steps: [{ status: 'completed', result: { content: [] } }],
      }
      const first = await suspend(server, args)
      const inputResponses = { name: { action: 'decline' } }
      const resumed = { requestState: first.requestState, inputResponses }
      expect(await run(server.caller(), args, resumed)).toEqual({ content: [] })
      expect(sent(server, 'tools/call').at(-1)).toMatchObject({ requestState, inputResponses })
      expect(updates(server)).toEqual([])
    }
  })

  it('are asked again if the call continues without answers', async () => {
    const server = await inMemory()
    const first = await suspend(server, { steps: [asking({ name: question('name') }), answers] })
    const again = await run(server.caller(), {}, { requestState: first.requestState })
    expect(again).toEqual({ inputRequired: first })
    expect(updates(server)).toEqual([])
  })

  it('are answered together with the request for the roots', async () => {
    const server = await inMemory()
    const roots = [{ uri: 'file:///srv' }]
    const steps = [asking({ name: question('name'), folders: { method: 'roots/list' } }), answers]
    const { questions, requestState } = await suspend(server, { steps }, server.caller({ roots }))
    expect(Object.keys(questions)).toEqual(['name'])
    const inputResponses = { name: { action: 'decline' } }
    await run(server.caller({ roots }), {}, { requestState, inputResponses })
    expect(updates(server)).toEqual([{ ...inputResponses, folders: { roots } }])
  })

  it('for the roots alone are answered without a suspension', async () => {
    const server = await inMemory()
    const roots = [{ uri: 'file:///srv' }]
    const steps = [asking({ folders: { method: 'roots/list' } }), answers]
    expect(jsonOf(await run(server.caller({ roots }), { steps }))).toEqual({ folders: { roots } })
  })

  it.each<[string, object, object?]>([
    ['to the user, if the call cannot be suspended', { name: question('name') }, { allowInputRequired: false }],
    ['for the roots, if the caller has no roots', { folders: { method: 'roots/list' } }],
    ['to the model', { sample: { method: 'sampling/createMessage', params: {} } }],
    ['of an unknown kind', { other: { method: 'other' } }],
  ])('%s cancel the task', async (_, inputRequests, options = {}) => {
    const server = await inMemory()
    const call = run(server.caller(), { steps: [asking(inputRequests)] }, {}, options)
    await expect(call).rejects.toMatchObject({ code: 'refused' })
    expect(sent(server, 'tasks/cancel')).toMatchObject([{ taskId: 'task-1' }])
  })

  it.each([
    ['throws an error', new Error('no terminal'), 'no terminal'],
    ['returns an invalid answer', accept({ name: 5 }), "does not match the requested schema at '/name'"],
  ])('cancel the task if `elicit` %s', async (_, given, message) => {
    const server = await inMemory()
    const elicit = (): any => {
      if (given instanceof Error) throw given
      return given
    }
    const call = run(server.caller({ elicit }), { steps: [asking({ name: question('name') }), answers] })
    await expect(call).rejects.toThrow(message)
    expect(sent(server, 'tasks/cancel')).toHaveLength(1)
    expect(updates(server)).toEqual([])
  })

  it('end with their call, also while `elicit` waits', async () => {
    const server = await inMemory()
    const controller = new AbortController()
    const elicit = (_: unknown, options: { readonly signal: AbortSignal }): Promise<never> => {
      controller.abort(new Error('enough'))
      return new Promise((_, reject) => reject(options.signal.reason))
    }
    const steps = [asking({ name: question('name') })]
    const call = run(server.caller({ elicit }), { steps }, {}, { signal: controller.signal })
    await expect(call).rejects.toThrow('enough')
    expect(sent(server, 'tasks/cancel')).toHaveLength(1)
  })

  it('end with the caller, also while `elicit` ignores its signal', async () => {
    const server = await inMemory()
    let isAsked = false
    const elicit = (): Promise<never> => {
      isAsked = true
      return new Promise(() => undefined)
    }
    const caller = server.caller({ elicit })
    const call = run(caller, { steps: [asking({ name: question('name') })] })
    call.catch(() => undefined)
    await expect.poll(() => isAsked).toBe(true)
    await caller.close()
    await expect(call).rejects.toThrow('the caller is closed')
    expect(sent(server, 'tasks/cancel')).toHaveLength(1)
  })

  it('are answered again if the connection was lost', async () => {
    const server = await overJson()
    const { requestState } = await suspend(server, {
      steps: [asking({ name: question('name') }), answers],
      updates: [{ fault: 'lost' }, { fault: { status: 503 } }],
    })
    const inputResponses = { name: accept({ name: 'Ada' }) }
    expect(jsonOf(await run(server.caller(), {}, { requestState, inputResponses }))).toEqual(inputResponses)
    expect(updates(server)).toHaveLength(3)
  })

  it.each([
    ['the task has expired', 0, 'timeout', 'after the task had expired: Task not found'],
    ['the server refuses the answers', null, 'refused', 'the server refused the answers to its questions'],
  ])('fail the call if %s', async (_, ttlMs, code, message) => {
    const server = await inMemory()
    const { requestState } = await suspend(server, {
      steps: [{ ...asking({ name: question('name') }), ttlMs }],
      updates: [{ error: { code: -32602, message: 'Task not found' } }],
    })
    const call = run(server.caller(), {}, { requestState, inputResponses: { name: { action: 'decline' } } })
    await expect(call).rejects.toMatchObject({ code, rpcCode: undefined, message: expect.stringContaining(message) })
  })

  it('cannot be answered with an older protocol', async () => {
    const { requestState } = await suspend(await inMemory(), { steps: [asking({ name: question('name') })] })
    const caller = opened(httpCaller({ url: await calledServer(() => undefined) }))
    const call = run(caller, {}, { requestState, inputResponses: { name: { action: 'decline' } } })
    await expect(call).rejects.toThrow('now supports only older protocols')
  })
})

describe('a question of a task', () => {
  const imported = importedAs('jobs', {
    run: { arguments: { type: 'object', properties: { steps: { type: 'array', items: { type: 'object' } } } } },
  })
  const steps = [working(), asking({ name: question('name') }), { ...working(), pollIntervalMs: 1 }, answers]
  const result = '{"name":{"action":"decline"}}'

  const registrationOver = (caller: McpCaller) =>
    toolsetRegistration(
      { toolset: imported.toolset, provider: 'mcp' },
      mcpExecutor(imported, caller, { onDrift: 'ignore' }),
    )

  const agentOver = (caller: McpCaller, runtime: Runtime = new Runtime()): BoundAgent =>
    runtime.registerAgent({ name: 'worker', description: 'Works.' }, [registrationOver(caller)], {
      planner: ({ outcomes }) =>
        outcomes.length > 0
          ? answer(outcomes.map((outcome) => (outcome.status === 'completed' ? outcome.json : outcome.status)).join())
          : callTools({ tool: 'jobs.run', arguments: JSON.stringify({ steps }), toolCallId: 'job' }),
    })

  const stored = ({ suspension }: AgentRun): RunSuspension => JSON.parse(JSON.stringify(suspension))

  it.each([
    ['stdio', overStdio],
    ['Streamable HTTP', overJson],
  ])('suspends a run, which other processes continue (%s)', async (_, reach) => {
    const server = await reach()
    const agent = () =>
      agentOver(server.caller(), new Runtime({ suspensions: signSuspensions({ key: 's'.repeat(32) }) }))
    const suspension = stored(await agent().run('Work.'))
    expect(suspension.pending).toMatchObject([
      { id: 'job/name', kind: 'elicitation', prompt: 'Which name?', question: { mode: 'form' } },
    ])
    const wrong = await agent().resume(suspension, { 'job/name': accept({ name: 5 }) })
    expect(wrong.error?.cause).toMatchObject({ code: 'wrong_answers' })
    const resumed = await agent().resume(suspension, { 'job/name': { action: 'decline' } })
    expect(resumed.result?.text).toBe(result)
    expect(methods(server.requests()).filter((method) => method === 'tools/call')).toHaveLength(1)
  })

  it('suspends a run of a session', async () => {
    const agent = agentOver((await overJson()).caller())
    const sessions = new SessionRegistry({ agents: { worker: agent } })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['worker'] })
    const suspension = stored(await session.run(agent, 'Work.'))
    const resumed = await session.resume(agent, suspension, { 'job/name': { action: 'decline' } })
    expect(resumed.result?.text).toBe(result)
  })

  it('suspends a durable run', async () => {
    const engine = memoryEngine(durableAgents({ agents: { worker: agentOver((await overJson()).caller()) } }))
    const { runId } = await engine.start('worker', 'Work.')
    const { id } = await suspended(engine, runId)
    await engine.answer(runId, id, { 'job/name': { action: 'decline' } })
    expect((await engine.result(runId)).result).toMatchObject({ text: result })
  })

  it('suspends a call outside a run', async () => {
    const server = await overJson()
    const tools = () => new Runtime().registerToolset(registrationOver(server.caller()))
    const outcome = await tools().execute({ tool: 'jobs.run', arguments: JSON.stringify({ steps }) })
    const suspension = outcome.status === 'suspended' ? JSON.parse(JSON.stringify(outcome.suspension)) : undefined
    const resumed = await tools().resumeCall(suspension, { name: { action: 'decline' } })
    expect(resumed).toMatchObject({ status: 'completed', json: result })
  })

  it('suspends a program of code mode, which continues after the answer', async () => {
    const checker = typescriptChecker()
    const sandbox = quickJsSandbox()
    atEnd(async () => void (await Promise.all([checker.close(), sandbox.close()])))
    const code = `return await jobs.run({ steps: ${JSON.stringify(steps)} })`
    const model = scriptedModel([
      calls({ tool: 'run_program', arguments: { code } }),
      ({ messages }) => says(String(messages.at(-1)?.content)),
    ])
    const tools = agentOver((await overJson()).caller())
    const agent = new Runtime().registerAgent({ name: 'coder', description: 'Writes programs.' }, [], {
      agent: base(model)
        .with(useTools(codeMode(tools, { checker, sandbox })))
        .build(),
    })
    const suspension = stored(await agent.run('Work.'))
    const [pending] = suspension.pending
    expect(pending).toMatchObject({ kind: 'elicitation', question: { message: 'Which name?' } })
    const resumed = await agent.resume(suspension, { [pending?.id ?? '']: { action: 'decline' } })
    expect(resumed.result?.text).toBe(`{"value":${result}}`)
  })
})
