import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tool } from '../../packages/runtime/src/index.js'
import type { ServedClient } from '../../packages/runtime/src/mcp/served-client.js'
import { atEnd, endAll } from './http-server.fixture.js'
import {
  asking,
  completedWith,
  field,
  job,
  ownClient,
  parameters,
  served,
  shownAs,
  streaming,
  withTasks,
} from './served-tasks.fixture.js'

afterEach(async () => {
  vi.useRealTimers()
  await endAll()
})

describe('a call without a task', () => {
  const result = completedWith('done')

  it('is a call of a server that offers no tasks', async () => {
    const server = await served([streaming('work', () => 'done')], { tasks: false })
    expect((await server.send('server/discover')).result.capabilities).not.toHaveProperty('extensions')
    expect(await server.call('work')).toMatchObject(result)
    expect((await server.send('tasks/get', { taskId: 'unknown' })).error).toMatchObject({ code: -32601 })
  })

  it('is a call that ends soon', async () => {
    const server = await served([streaming('work', () => 'done')], { tasks: {} })
    expect(await server.call('work')).toMatchObject(result)
  })

  it('is a call of a client with an older protocol, even if the client declares the extension', async () => {
    const { tool: work, emit, finish, started } = job()
    const { service } = await served([work])
    const client = new Client({ name: 'test', version: '1' }, { capabilities: withTasks as object })
    atEnd(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url ?? '')))
    expect(client.getServerCapabilities()).not.toHaveProperty('extensions')
    const progress: unknown[] = []
    const calling = client.callTool({ name: 'work', arguments: {} }, undefined, {
      onprogress: (each) => progress.push(each),
    })
    await expect.poll(() => started.length).toBe(1)
    await emit({ progress: 1, total: 2, message: 'half' })
    finish()
    expect(await calling).toEqual(shownAs('done'))
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'half' }])
    await expect(client.request({ method: 'tasks/get', params: { taskId: '1' } }, {} as never)).rejects.toMatchObject({
      code: -32601,
    })
  })

  it('is a call of a client without the extension, which receives progress', async () => {
    const { tool: work, emit, finish, started } = job()
    const server = await served([work])
    const calling = server.call('work', {}, { capabilities: {}, progressToken: 7 })
    await expect.poll(() => started.length).toBe(1)
    await emit({ progress: 1, total: 2, message: 'half' })
    finish()
    expect(await calling).toMatchObject(result)
    expect(server.notifications).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, progress: 1, total: 2, message: 'half' } },
    ])
  })
})

describe('a call that runs longer than `afterMs`', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })

  it('sends progress at first, and then becomes a task', async () => {
    const { tool: work, emit, finish, started } = job()
    const server = await served([work], { tasks: {} })
    const calling = server.call('work', {}, { progressToken: 7 })
    await expect.poll(() => started.length).toBe(1)
    await emit({ progress: 1, total: 2, message: 'half' })
    vi.advanceTimersByTime(7_000)
    const { taskId, ...created } = await calling
    expect(created).toMatchObject({ resultType: 'task', status: 'working', statusMessage: 'half' })
    expect(server.notifications).toMatchObject([{ params: { progressToken: 7, progress: 1, message: 'half' } }])
    await emit({ progress: 2, message: 'almost' })
    expect(await server.get(taskId)).toMatchObject({ status: 'working', statusMessage: 'almost' })
    expect(started[0]?.aborted).toBe(false)
    finish()
    expect((await server.until(taskId, 'completed')).result).toEqual(completedWith('done'))
  })

  it('also becomes a task if its tool has no updates', async () => {
    let finish: (result: string) => void = () => undefined
    const run = () =>
      new Promise<string>((resolve) => {
        finish = resolve
      })
    const server = await served([tool({ name: 'plain', description: 'Works.', parameters, run })], {
      tasks: { afterMs: 20 },
    })
    const calling = server.call('plain')
    await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0)
    vi.advanceTimersByTime(20)
    const { taskId } = await calling
    finish('done')
    expect((await server.until(taskId, 'completed')).result).toEqual(completedWith('done'))
  })

  it('can ask before it becomes a task, and as a task', async () => {
    const questions = async (client: ServedClient) => {
      const ask = (message: string) => client.elicit({ message, requestedSchema: field('name') })
      const names = [await ask('First?'), await ask('Second?')]
      return names.map(({ content }) => content?.name).join()
    }
    const server = await served([asking('ask', questions)], { tasks: {}, ...ownClient })
    const { requestState, inputRequests } = await server.call('ask')
    const answer = (name: string) => ({ action: 'accept', content: { name } })
    expect(Object.keys(inputRequests)).toEqual(['question-1'])
    // The client has the question, so the call cannot become a task.
    vi.advanceTimersByTime(7_000)
    const inputResponses = { 'question-1': answer('Ada') }
    const params = { name: 'ask', arguments: {}, requestState, inputResponses }
    const { result: second } = await server.send('tools/call', params)
    expect(Object.keys(second.inputRequests)).toEqual(['question-2'])
    expect(second.requestState).not.toBe(requestState)
    const more = { ...params, requestState: second.requestState, inputResponses: { 'question-2': answer('Bob') } }
    expect((await server.send('tools/call', more)).result).toMatchObject(shownAs('Ada,Bob'))
  })
})
