import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  taskViewFromExecutionEvent,
} from '@modelcontextprotocol/ext-tasks/client'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { approval, ToolFailure, type ToolLayer } from '../../packages/runtime/src/index.js'
import type { ServedClient } from '../../packages/runtime/src/mcp/served-client.js'
import { bearerAuth } from '../../packages/runtime/src/mcp.js'
import { atEnd, endAll, listening } from './http-server.fixture.js'
import {
  acknowledged,
  asking,
  completedWith,
  field,
  job,
  overStreams,
  ownClient,
  resultWithoutTask,
  served,
  shownAs,
  streaming,
  TASKS,
  withTasks,
} from './served-tasks.fixture.js'

afterEach(async () => {
  vi.useRealTimers()
  await endAll()
})

describe('a task', () => {
  it('returns a task, which ends with the result that other clients receive', async () => {
    const { tool: work, finish, started } = job()
    const server = await served([work])
    const { result: discovered } = await server.send('server/discover')
    expect(discovered.capabilities.extensions).toEqual({ [TASKS]: {} })
    const { _meta, content, resultType, ...created } = await server.call('work')
    expect(resultType).toBe('task')
    expect(created).toEqual({
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'working',
      createdAt: new Date(created.createdAt).toISOString(),
      lastUpdatedAt: created.createdAt,
      ttlMs: null,
      pollIntervalMs: 1_000,
    })
    expect(await server.get(created.taskId)).toEqual({ ...created, ...acknowledged, _meta })
    finish('the result')
    const completed = await server.until(created.taskId, 'completed')
    expect(completed.result).toEqual(completedWith('the result'))
    expect(completed.ttlMs).toBe(Date.parse(completed.lastUpdatedAt) - Date.parse(completed.createdAt) + 300_000)
    const waiting = resultWithoutTask(server, 'work')
    await expect.poll(() => started.length).toBe(2)
    finish('the result')
    expect(await waiting).toEqual(completed.result)
  })

  it('shows its latest update as the message of the task', async () => {
    const { tool: work, emit, finish, started } = job()
    const server = await served([work])
    const taskId = await server.start('work')
    await expect.poll(() => started.length).toBe(1)
    const messages: unknown[] = []
    for (const update of [{ progress: 1, total: 2, message: 'half' }, { progress: 2, total: 2 }, { step: 'last' }]) {
      await emit(update)
      messages.push((await server.get(taskId)).statusMessage)
    }
    expect(messages).toEqual(['half', '{"progress":2,"total":2}', '{"step":"last"}'])
    finish()
    expect(await server.until(taskId, 'completed')).not.toHaveProperty('statusMessage')
  })

  it('changes the time of the last change with each update, question, answer and end', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 })
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const questions = async (client: ServedClient) => {
      await gate
      const ask = () => client.elicit({ message: 'Name?', requestedSchema: field('name') })
      await Promise.all([ask(), ask()])
    }
    const { tool: work, emit, finish, started } = job()
    const server = await served([work, asking('ask', questions)], ownClient)
    const times = async (taskId: string): Promise<unknown> => {
      const { createdAt, lastUpdatedAt, ttlMs } = await server.get(taskId)
      return [createdAt, lastUpdatedAt, ttlMs].map((time) => (typeof time === 'string' ? Date.parse(time) : time))
    }
    const working = await server.start('work')
    const waiting = await server.start('ask')
    await expect.poll(() => started.length).toBe(1)
    vi.setSystemTime(2_000)
    expect(await times(working)).toEqual([1_000, 1_000, null])
    await emit({ message: 'more' })
    expect(await times(working)).toEqual([1_000, 2_000, null])
    open()
    await server.until(waiting, 'input_required')
    expect(await times(waiting)).toEqual([1_000, 2_000, null])
    vi.setSystemTime(3_000)
    await server.answer(waiting, { 'question-1': { action: 'decline' } })
    expect(await times(waiting)).toEqual([1_000, 3_000, null])
    vi.setSystemTime(4_000)
    await server.answer(waiting, { 'question-2': { action: 'decline' } })
    await server.until(waiting, 'completed')
    expect(await times(waiting)).toEqual([1_000, 4_000, 303_000])
    vi.setSystemTime(5_000)
    finish()
    await server.until(working, 'completed')
    expect(await times(working)).toEqual([1_000, 5_000, 304_000])
  })

  it('can fail: the task is completed with an error for the model', async () => {
    const server = await served([
      streaming('fails', () => {
        throw new ToolFailure('There is no such order.')
      }),
    ])
    const { result } = await server.until(await server.start('fails'), 'completed')
    expect(result).toMatchObject({ isError: true })
    expect(result).toEqual(await resultWithoutTask(server, 'fails'))
  })

  it('ends the task as failed if the call causes an error of the protocol', async () => {
    const context = () => ({
      get labels(): never {
        throw new Error('no labels')
      },
    })
    const server = await served([job().tool], { context })
    const failed = await server.until(await server.start('work'), 'failed')
    expect(failed).toMatchObject({ statusMessage: 'no labels', error: { code: -32603, message: 'no labels' } })
    expect(failed).not.toHaveProperty('result')
    await expect(server.call('work', {}, { capabilities: {} })).rejects.toMatchObject(failed.error)
  })

  it('has the capabilities of the request also after the response', async () => {
    const found: unknown[] = []
    const layer: ToolLayer<any> = (next) => async (call) => {
      await new Promise(setImmediate)
      found.push(call.env.client.capabilities)
      call.env.client.log('info', 'not sent')
      return next(call)
    }
    const server = await served([streaming('work', () => 'done').layer(layer)], ownClient)
    await server.until(await server.start('work'), 'completed')
    expect(found).toEqual([withTasks])
  })
})

describe('a task that asks the user', () => {
  const name = (client: ServedClient) => client.elicit({ message: 'Name?', requestedSchema: field('name') })
  const color = (client: ServedClient) => client.elicit({ message: 'Color?', requestedSchema: field('color') })

  it('waits for the answers, which can arrive one by one', async () => {
    const both = async (client: ServedClient) =>
      (await Promise.all([name(client), color(client)])).map((each) => each.content)
    const server = await served([asking('ask', both)], ownClient)
    const taskId = await server.start('ask')
    const { inputRequests } = await server.until(taskId, 'input_required')
    const [first = '', second = ''] = Object.keys(inputRequests)
    expect(inputRequests).toEqual({
      [first]: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Name?', requestedSchema: field('name') },
      },
      [second]: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Color?', requestedSchema: field('color') },
      },
    })
    const ada = { action: 'accept', content: { name: 'Ada' } }
    expect(await server.answer(taskId, { [first]: ada, unknown: ada })).toMatchObject(acknowledged)
    const waiting = await server.get(taskId)
    expect([waiting.status, Object.keys(waiting.inputRequests)]).toEqual(['input_required', [second]])
    const other = { action: 'accept', content: { name: 'Bob' } }
    await server.answer(taskId, { [first]: other })
    await server.answer(taskId, { [second]: { action: 'accept', content: { color: 'red' } } })
    const { result } = await server.until(taskId, 'completed')
    expect(result).toEqual(completedWith('[{"name":"Ada"},{"color":"red"}]'))
    expect(await server.answer(taskId, { [first]: other })).toMatchObject(acknowledged)
  })

  it('uses other keys for later questions', async () => {
    const inOrder = async (client: ServedClient) => [(await name(client)).action, (await name(client)).action]
    const server = await served([asking('ask', inOrder)], ownClient)
    const taskId = await server.start('ask')
    const keys: string[] = []
    for (const action of ['decline', 'cancel']) {
      await expect
        .poll(async () => Object.keys((await server.get(taskId)).inputRequests ?? {})[0] ?? keys[0])
        .not.toBe(keys[0])
      const [key = ''] = Object.keys((await server.get(taskId)).inputRequests)
      keys.push(key)
      await server.answer(taskId, { [key]: { action } })
    }
    expect((await server.until(taskId, 'completed')).result).toEqual(completedWith('["decline","cancel"]'))
    expect(new Set(keys).size).toBe(2)
  })

  it('asks the model of the client', async () => {
    const sample = async (client: ServedClient) =>
      (await client.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 }))
        .content
    const server = await served([asking('ask', sample)], ownClient)
    const taskId = await server.start('ask')
    const { inputRequests } = await server.until(taskId, 'input_required')
    const [[key = '', question] = []] = Object.entries<any>(inputRequests)
    expect(question.method).toBe('sampling/createMessage')
    const content = { type: 'text', text: 'Hello' }
    await server.answer(taskId, { [key]: { role: 'assistant', model: 'm', content } })
    expect((await server.until(taskId, 'completed')).result).toEqual(completedWith(JSON.stringify(content)))
  })

  it('does not change when an open question is answered after the end', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 })
    const ask = async (client: ServedClient) => {
      void name(client).catch(() => undefined)
      return 'done'
    }
    const server = await served([asking('ask', ask)], ownClient)
    const taskId = await server.start('ask')
    const completed = await server.until(taskId, 'completed')
    vi.setSystemTime(2_000)
    expect(await server.answer(taskId, { 'question-1': { action: 'decline' } })).toMatchObject(acknowledged)
    expect(await server.get(taskId)).toEqual(completed)
  })

  it.each([
    ['an answer that does not match the form', { action: 'accept', content: { name: 7 } }],
    ['an answer of another kind', { role: 'assistant', model: 'm', content: { type: 'text', text: 'Ada' } }],
  ])('fails the call for %s', async (_, answer) => {
    const server = await served([asking('ask', name)], ownClient)
    const taskId = await server.start('ask')
    const { inputRequests } = await server.until(taskId, 'input_required')
    await server.answer(taskId, { [Object.keys(inputRequests)[0] ?? '']: answer })
    expect((await server.until(taskId, 'completed')).result).toMatchObject({ isError: true })
  })

  it('fails the call if the client cannot ask its user', async () => {
    const server = await served([asking('ask', name)], ownClient)
    const capabilities = { extensions: { [TASKS]: {} } }
    const { result } = await server.until(await server.start('ask', {}, { capabilities }), 'completed')
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('ask its user') }] })
  })

  it.each([
    ['accept', shownAs('cancelled'), 1],
    ['decline', { isError: true }, 0],
  ])('asks for the approval of a suspended call: %s', async (action, expected, runs) => {
    let count = 0
    const cancel = streaming('cancel_order', () => {
      count += 1
      return 'cancelled'
    }).layer(approval({ when: () => true }))
    const server = await served([cancel], {
      context: () => ({ env: { approval: { approve: async () => 'suspend' as const } } }),
    })
    const taskId = await server.start('cancel_order')
    const { inputRequests } = await server.until(taskId, 'input_required')
    expect(JSON.stringify(inputRequests)).toContain("Allow the tool 'jobs.cancel_order' to run")
    await server.answer(taskId, { [Object.keys(inputRequests)[0] ?? '']: { action } })
    expect((await server.until(taskId, 'completed')).result).toMatchObject(expected)
    expect(count).toBe(runs)
  })
})

describe('the cancellation of a task', () => {
  it('aborts the signal of the executor, and can be repeated', async () => {
    const { tool: work, started } = job()
    const server = await served([work])
    const taskId = await server.start('work')
    await expect.poll(() => started.length).toBe(1)
    expect(await server.cancel(taskId)).toEqual({ ...acknowledged, _meta: expect.anything() })
    expect(started[0]?.aborted).toBe(true)
    const cancelled = await server.until(taskId, 'cancelled')
    expect(cancelled).not.toHaveProperty('result')
    expect(await server.cancel(taskId)).toMatchObject(acknowledged)
    expect(await server.get(taskId)).toEqual(cancelled)
  })

  it('keeps the result of a call that completes in spite of the cancellation', async () => {
    const { tool: work, started } = job()
    const layer: ToolLayer = (next) => async (call) => {
      const outcome = await next(call)
      return outcome.status === 'completed' ? outcome : call.complete('kept')
    }
    const server = await served([work.layer(layer)])
    const taskId = await server.start('work')
    await expect.poll(() => started.length).toBe(1)
    await server.cancel(taskId)
    expect((await server.until(taskId, 'completed')).result).toEqual(completedWith('kept'))
  })

  it('does not change a task that has ended', async () => {
    const server = await served([streaming('work', () => 'done')])
    const taskId = await server.start('work')
    const completed = await server.until(taskId, 'completed')
    expect(await server.cancel(taskId)).toMatchObject(acknowledged)
    expect(await server.get(taskId)).toEqual(completed)
  })

  it('ends a question', async () => {
    const ask = (client: ServedClient) => client.elicit({ message: 'Name?', requestedSchema: field('name') })
    const server = await served([asking('ask', ask)], ownClient)
    const taskId = await server.start('ask')
    await server.until(taskId, 'input_required')
    await server.cancel(taskId)
    expect(await server.until(taskId, 'cancelled')).not.toHaveProperty('inputRequests')
  })

  it('rejects later questions', async () => {
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const ask = async (client: ServedClient) => {
      await gate
      return client.elicit({ message: 'Name?', requestedSchema: field('name') })
    }
    const server = await served([asking('ask', ask)], ownClient)
    const taskId = await server.start('ask')
    await server.cancel(taskId)
    open()
    await server.until(taskId, 'cancelled')
  })

  it('happens when the service is closed', async () => {
    const { tool: work, started } = job()
    const server = await served([work])
    await server.start('work')
    await expect.poll(() => started.length).toBe(1)
    await server.service.close()
    expect(started[0]?.aborted).toBe(true)
  })
})

/** Serves tools over HTTP to users with access tokens. */
async function servedToUsers(tools: Parameters<typeof served>[0], tasks: object = {}) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'ES256' }] }
  let issuer = ''
  issuer = new URL(
    await listening(({ url }, response) => {
      const metadata = { issuer, jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'] }
      const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }
      const body = url === '/jwks' ? jwks : { ...metadata, ...endpoints }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }),
  ).origin
  const server = await served(tools, {
    transport: { port: 0, auth: bearerAuth({ issuer }) },
    tasks: { afterMs: 0, ...tasks },
  })
  const token = (sub: string): Promise<string> =>
    new SignJWT({ sub })
      .setProtectedHeader({ alg: 'ES256', kid: 'key', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(server.service.url ?? '')
      .setExpirationTime('1h')
      .sign(privateKey)
  return { server, token }
}

describe('a request about a task', () => {
  const notFound = { code: -32602, message: 'The task does not exist, or has expired.' }
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel']

  it.each(methods)('needs an existing task: %s', async (method) => {
    const server = await served([job().tool])
    expect((await server.send(method, { taskId: 'unknown' })).error).toEqual(notFound)
    expect((await server.send(method)).error).toEqual(notFound)
  })

  it.each(methods)('needs the capability: %s', async (method) => {
    const { tool: work, started } = job()
    const server = await served([work])
    const taskId = await server.start('work')
    const { error } = await server.send(method, { taskId }, { capabilities: {} })
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } })
    await expect.poll(() => started.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('finds only the tasks of its own subject', async () => {
    const { tool: work, started } = job()
    const { server, token } = await servedToUsers([work])
    const ada = { token: await token('ada') }
    const bob = { token: await token('bob') }
    const taskId = await server.start('work', {}, ada)
    for (const method of methods) expect((await server.send(method, { taskId }, bob)).error).toEqual(notFound)
    expect(await server.get(taskId, { token: await token('ada') })).toMatchObject({ taskId, status: 'working' })
    await expect.poll(() => started.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('does not find an ended task after its time', async () => {
    const server = await served([streaming('work', () => 'done')], {
      tasks: { afterMs: 0, ttlMs: 1, pollIntervalMs: 1 },
    })
    const { taskId, pollIntervalMs } = await server.call('work')
    expect(pollIntervalMs).toBe(1)
    await expect.poll(() => server.get(taskId)).toEqual(notFound)
  })
})

describe('a task that no client asks for', () => {
  it('is cancelled after the time for results', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { tool: work, started } = job()
    const server = await served([work])
    await server.start('work')
    const known = await server.start('work')
    await server.get(known)
    await expect.poll(() => started.length).toBe(2)
    vi.advanceTimersByTime(300_000)
    expect(started.map(({ aborted }) => aborted)).toEqual([true, false])
  })
})

describe('the maximum number of tasks', () => {
  it('drops the oldest ended task, and no call becomes a task while all tasks run', async () => {
    const first = job('first')
    const second = job('second')
    const quick = streaming('quick', () => 'done')
    const server = await served([first.tool, second.tool, quick], { tasks: { afterMs: 0, maxTasks: 2 } })
    const running = await server.start('first')
    const ended = await server.start('quick')
    await server.until(ended, 'completed')
    const other = await server.start('second')
    expect(await server.get(ended)).toMatchObject({ code: -32602 })
    expect(await server.call('quick')).toMatchObject({ resultType: 'complete', ...shownAs('done') })
    expect([await server.get(running), await server.get(other)]).toMatchObject([
      { status: 'working' },
      { status: 'working' },
    ])
  })

  it('is smaller for one subject, whose tasks do not replace those of others', async () => {
    const { tool: work, finish } = job()
    const { server, token } = await servedToUsers([work, streaming('quick', () => 'done')], { maxTasksPerSubject: 1 })
    const [ada, bob] = [{ token: await token('ada') }, { token: await token('bob') }]
    const ended = await server.start('quick', {}, ada)
    await expect.poll(async () => (await server.get(ended, ada)).status).toBe('completed')
    const first = await server.start('quick', {}, bob)
    await expect.poll(async () => (await server.get(first, bob)).status).toBe('completed')
    await server.start('work', {}, bob)
    expect(await server.get(first, bob)).toMatchObject({ code: -32602 })
    expect(await server.call('quick', {}, bob)).toMatchObject({ resultType: 'complete' })
    expect(await server.get(ended, ada)).toMatchObject({ status: 'completed' })
    finish()
  })

  it.each([
    [{ maxTasks: 0 }, 'tasks.maxTasks must be an integer of at least 1, but is 0'],
    [{ afterMs: -1 }, 'tasks.afterMs must be an integer of at least 0, but is -1'],
    [{ ttlMs: 1.5 }, 'tasks.ttlMs must be an integer of at least 1, but is 1.5'],
    [{ pollIntervalMs: '5' }, 'tasks.pollIntervalMs must be an integer of at least 1, but is "5"'],
    [{ ttlMs: 500 }, 'tasks.pollIntervalMs must be at most tasks.ttlMs (500), but is 1000'],
    [true, '`tasks` must be an object or false, but is of the type boolean'],
    [null, '`tasks` must be an object or false, but is null'],
  ])('is checked, as the other options: %j', async (tasks, message) => {
    await expect(served([job().tool], { tasks: tasks as never })).rejects.toThrow(message)
  })
})

it('the official client of the extension calls a tool, shows its updates and answers its question', async () => {
  const { tool: work, emit, finish, started } = job()
  const layer: ToolLayer<any> = (next) => async (call) => {
    const { content } = await call.env.client.elicit({ message: 'Name?', requestedSchema: field('name') })
    const outcome = await next(call)
    return outcome.status === 'completed' ? call.complete(`${content.name}: done`) : outcome
  }
  const server = await served([work.layer(layer)], { ...ownClient, tasks: { afterMs: 0, pollIntervalMs: 1 } })
  const clientInfo = { name: 'test', version: '1' }
  const client = new ModernClient(clientInfo, { capabilities: withTasks, versionNegotiation: { mode: 'auto' } })
  atEnd(() => client.close())
  await client.connect(new ModernTransport(new URL(server.service.url ?? '')))
  const notAsked = (): never => {
    throw new Error('not asked')
  }
  const elicitation = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
  const onInputRequest = createApplicationInputHandler({ elicitation, sampling: notAsked, roots: notAsked })
  const session = createTaskSessionFromClient(client, {
    endpointId: 'test',
    rawDispatch: async (message) => {
      const { result, error } = await server.post({ jsonrpc: '2.0', id: 1, ...(message as object) })
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error }
    },
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: withTasks },
    onInputRequest,
  })
  atEnd(() => session.close())
  const execution = await session.callTool('work', {})
  expect(execution.kind).toBe('task')
  await expect.poll(() => started.length).toBe(1)
  await emit({ progress: 1, message: 'half' })
  for await (const event of execution.updates()) {
    if (taskViewFromExecutionEvent(event)?.statusMessage === 'half') finish()
  }
  const { outcome } = await execution.settle()
  expect(resultFromTaskOutcome(outcome)).toMatchObject(shownAs('Ada: done'))
})

describe('a task over stdio', () => {
  it('sends no progress and no log messages, and is cancelled when the connection ends', async () => {
    const { tool: work, emit, finish, started } = job()
    const layer: ToolLayer<any> = (next) => (call) => {
      call.env.client.log('error', 'not sent')
      return next(call)
    }
    const { service, input, notifications, send } = await overStreams([work.layer(layer)])
    const sent = { progressToken: 7, logLevel: 'debug' }
    const { taskId } = await send('tools/call', { name: 'work', arguments: {} }, sent)
    await expect.poll(() => started.length).toBe(1)
    await emit({ progress: 1, message: 'half' })
    expect(await send('tasks/get', { taskId })).toMatchObject({ status: 'working', statusMessage: 'half' })
    finish()
    await expect.poll(async () => (await send('tasks/get', { taskId })).result).toEqual(completedWith('done'))
    expect(notifications).toEqual([])
    const other = await send('tools/call', { name: 'work', arguments: {} }, sent)
    expect(other.taskId).not.toBe(taskId)
    await expect.poll(() => started.length).toBe(2)
    input.end()
    await service.ended
    await expect.poll(() => started[1]?.aborted).toBe(true)
  })

  it('can ask while the maximum number of other calls wait for answers', async () => {
    const ask = (client: ServedClient) => client.elicit({ message: 'Name?', requestedSchema: field('name') })
    const { send } = await overStreams([asking('ask', ask)])
    const call = { name: 'ask', arguments: {} }
    const withoutTasks = { capabilities: { elicitation: {} } }
    const waiting = Array.from({ length: 1_000 }, () => send('tools/call', call, withoutTasks))
    for (const each of waiting) expect((await each).resultType).toBe('input_required')
    expect(await send('tools/call', call, withoutTasks)).toMatchObject({ isError: true })
    const { taskId } = await send('tools/call', call)
    await expect.poll(async () => (await send('tasks/get', { taskId })).status).toBe('input_required')
  })
})
