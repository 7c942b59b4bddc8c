import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BoundToolset } from '../../packages/runtime/src/index.js'
import type { CallerOptions } from '../../packages/runtime/src/mcp/caller-options.js'
import { httpCaller, type SdkCaller, sseCaller, stdioCaller } from '../../packages/runtime/src/mcp.js'
import { boundOver, importedAs } from '../mcp/served.fixture.js'
import { everythingOverHttp } from './everything-over-http.js'

const require = createRequire(import.meta.url)
const updates = {
  type: 'object',
  properties: { progress: { type: 'number' }, total: { type: 'number' } },
  required: ['progress'],
}
const imported = importedAs('all', {
  'trigger-long-running-operation': { updates },
  'get-structured-content': { outputSchema: { type: 'object' } },
  'get-tiny-image': {},
  'get-roots-list': {},
  'get-sum': {},
})
const long = (duration: number, steps: number): { tool: string; arguments: string } => ({
  tool: 'all.trigger-long-running-operation',
  arguments: JSON.stringify({ duration, steps }),
})

/** A caller of server-everything, and what ends the server where the caller does not. */
interface Reached {
  readonly caller: SdkCaller
  end(): Promise<void>
}

const overStdio = async (options: CallerOptions): Promise<Reached> => {
  const script = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
  const caller = stdioCaller({ command: process.execPath, args: [script, 'stdio'], ...options })
  return { caller, end: async () => undefined }
}

const overHttp = async (options: CallerOptions): Promise<Reached> => {
  const { url, end } = await everythingOverHttp('streamableHttp')
  return { caller: httpCaller({ url, ...options }), end }
}

const overSse = async (options: CallerOptions): Promise<Reached> => {
  const { url, end } = await everythingOverHttp('sse')
  return { caller: sseCaller({ url, ...options }), end }
}

describe.each([
  ['stdio', overStdio],
  ['Streamable HTTP', overHttp],
  ['server-sent events', overSse],
])('server-everything over %s', (_, reach) => {
  let reached: Reached
  let bound: BoundToolset

  beforeAll(async () => {
    reached = await reach({ roots: [{ uri: 'file:///books', name: 'books' }] })
    bound = boundOver(reached.caller, imported)
  })

  afterAll(async () => {
    await reached.caller.close()
    await reached.end()
  })

  it('answers structured content and images', async () => {
    const city = { tool: 'all.get-structured-content', arguments: '{"location":"Los Angeles"}' }
    expect(await bound.execute(city)).toMatchObject({ result: { data: { temperature: 73, humidity: 48 } } })
    const image = await bound.execute({ tool: 'all.get-tiny-image', arguments: '{}' })
    const content = [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }, { type: 'text' }]
    expect(image).toMatchObject({ result: { data: { content } } })
  })

  it('reports its progress as updates', async () => {
    const told: string[] = []
    const outcome = await bound.execute(long(0.09, 3), { onUpdate: (update) => told.push(update) })
    expect(outcome.status).toBe('completed')
    expect(told).toEqual([1, 2, 3].map((progress) => JSON.stringify({ progress, total: 3 })))
  })

  it('lets go of a call that is cancelled while it goes on, and answers the next one', async () => {
    const controller = new AbortController()
    const outcome = await bound.execute(long(1, 50), {
      signal: controller.signal,
      onUpdate: () => controller.abort(),
    })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'cancelled' } })
    const sum = await bound.execute({ tool: 'all.get-sum', arguments: '{"a":2,"b":3}' })
    expect(sum).toMatchObject({ result: { data: 'The sum of 2 and 3 is 5.' } })
  })

  it('asks for the roots of its client', async () => {
    const outcome = await bound.execute({ tool: 'all.get-roots-list', arguments: '{}' })
    expect(outcome).toMatchObject({ result: { data: expect.stringContaining('URI: file:///books') } })
  })

  it('answers many calls at once, each its own', async () => {
    const sums = Array.from({ length: 50 }, (_, a) =>
      bound.execute({ tool: 'all.get-sum', arguments: JSON.stringify({ a, b: 1 }) }),
    )
    const data = (await Promise.all(sums)).map((outcome) => outcome.status === 'completed' && outcome.result.data)
    expect(data).toEqual(data.map((_, a) => `The sum of ${a} and 1 is ${a + 1}.`))
  })
})
