import { afterEach, describe, expect, it } from 'vitest'
import type { ServedClient } from '../../packages/runtime/src/mcp/served-client.js'
import { httpCaller } from '../../packages/runtime/src/mcp.js'
import { atEnd, endAll } from './http-server.fixture.js'
import { asking, field, job, ownClient, served } from './served-tasks.fixture.js'

afterEach(endAll)

const tasks = { afterMs: 0, pollIntervalMs: 50 }
const never = new AbortController().signal

describe('a caller of `serveMcp`', () => {
  const newCaller = (url: string | undefined) => {
    const caller = httpCaller({ url: url ?? '' })
    atEnd(() => caller.close())
    return caller
  }

  it('receives the updates and the result of a task', async () => {
    const { tool, emit, finish, started } = job()
    const { service } = await served([tool], { tasks })
    const updates: unknown[] = []
    const onProgress = (update: object): void => {
      updates.push(update)
      finish('the result')
    }
    const calling = newCaller(service.url).callTool({ name: 'work', arguments: {} }, { signal: never, onProgress })
    await expect.poll(() => started.length).toBe(1)
    await emit({ progress: 1, message: 'half' })
    expect(await calling).toEqual({ content: [{ type: 'text', text: 'the result' }] })
    expect(updates).toEqual([{ progress: 1, message: 'half' }])
  })

  it('cancels the task with the call', async () => {
    const { tool, emit, started } = job()
    const { service } = await served([tool], { tasks })
    const controller = new AbortController()
    const reason = new Error('enough')
    // The caller has received the task.
    const onProgress = (): void => controller.abort(reason)
    const { signal } = controller
    const calling = newCaller(service.url).callTool({ name: 'work', arguments: {} }, { signal, onProgress })
    await expect.poll(() => started.length).toBe(1)
    await emit({ message: 'half' })
    await expect(calling).rejects.toBe(reason)
    await expect.poll(() => started[0]?.aborted).toBe(true)
  })

  it('returns the question of a task, which another caller answers', async () => {
    const ask = async (client: ServedClient) =>
      (await client.elicit({ message: 'Name?', requestedSchema: field('name') })).content?.name
    const { service } = await served([asking('ask', ask)], { tasks, ...ownClient })
    const call = { name: 'ask', arguments: {} }
    const options = { signal: never, allowInputRequired: true }
    const { inputRequired } = await newCaller(service.url).callTool(call, options)
    expect(inputRequired?.questions).toMatchObject({ 'question-1': { mode: 'form', message: 'Name?' } })
    const { requestState } = inputRequired ?? {}
    const inputResponses = { 'question-1': { action: 'accept', content: { name: 'Ada' } } } as const
    const resumed = { ...call, inputResponses, ...(requestState !== undefined && { requestState }) }
    expect(await newCaller(service.url).callTool(resumed, options)).toEqual({
      content: [{ type: 'text', text: 'Ada' }],
    })
  })
})
