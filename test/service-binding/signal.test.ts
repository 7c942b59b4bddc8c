import { join } from 'node:path'
import { Runtime, timeout } from '@toolgen/runtime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  dateTime,
  list,
  object,
  string,
  type ToolCase,
} from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

const byId: ToolCase = { payload: object({ id: string }), result: string }

let bound: BoundClient
/** The generated entry of the agent, and that of its toolset. */
let generated: any

beforeAll(async () => {
  bound = await bindPublished({
    types: `interface Cancellable { timeout?: number; signal?: AbortSignal }
interface Client {
  options(id: string, options?: Cancellable): Promise<string>
  required(id: string, options: { signal: AbortSignal }): Promise<string>
  parameter(id: string, locale?: string, signal?: AbortSignal): Promise<string>
  request(request: { id: string; abortSignal?: AbortSignal | null }): Promise<string>
  converted(request: { at: Date; signal?: AbortSignal }): Promise<string>
  constant(id: string, options?: Cancellable): Promise<string>
  nothing(options?: Cancellable): Promise<string>
  generic<T extends { id: string }>(request: T, options?: Cancellable): Promise<string>
  either(request: { id: string; signal?: AbortSignal } | { id: string; other?: string }): Promise<string>
  mapped(key: { id: string }[], options?: Cancellable): Promise<string>
  stream(id: string, options?: Cancellable): AsyncIterable<string>
}`,
    tools: {
      options: byId,
      required: byId,
      parameter: byId,
      request: byId,
      converted: { ...byId, payload: object({ at: dateTime }) },
      constant: { ...byId, constants: { timeout: 5 } },
      nothing: { ...byId, payload: object({}) },
      generic: byId,
      either: byId,
      mapped: byId,
      stream: { payload: object({ id: string }), updates: string, result: list(string) },
    },
  })
  const [agent, toolset] = await Promise.all([
    import(join(bound.root, 'gen/agents/keeper/index.ts')),
    import(join(bound.root, 'gen/toolsets/zoo/index.ts')),
  ])
  generated = { ...agent, ...toolset }
})

afterAll(() => removeProject(bound.root))

/** What the client's method of a tool is called with. */
async function argumentsOf(tool: string, payload: object = { id: 'A-1' }, mappers: object = {}): Promise<unknown> {
  let given: unknown
  const method = async (...args: unknown[]): Promise<string> => {
    given = args
    return 'done'
  }
  await keeper(tool, method, mappers).execute(newCall(tool, payload))
  return given
}

function keeper(tool: string, method: (...args: any[]) => unknown, mappers: object = {}): any {
  const own = { mapped: { payload: () => [[]] }, ...mappers }
  return generated.registerKeeper(new Runtime(), {
    toolsets: { zoo: { client: { [tool]: method }, mappers: own } },
  })
}

function newCall(tool: string, payload: object = { id: 'A-1' }): unknown {
  return generated[`new${tool.charAt(0).toUpperCase()}${tool.slice(1)}Call`](payload)
}

const signal = expect.any(AbortSignal)

describe('a method that takes an AbortSignal', () => {
  it('is called with the signal of the call where its parameters say so, beside what the payload gives', async () => {
    expect(await argumentsOf('options')).toEqual(['A-1', { signal }])
    expect(await argumentsOf('required')).toEqual(['A-1', { signal }])
    expect(await argumentsOf('parameter')).toEqual(['A-1', undefined, signal])
    expect(await argumentsOf('request')).toEqual([{ id: 'A-1', abortSignal: signal }])
    expect(await argumentsOf('constant')).toEqual(['A-1', { timeout: 5, signal }])
    expect(await argumentsOf('nothing', {})).toEqual([{ signal }])
    expect(await argumentsOf('generic')).toEqual([{ id: 'A-1' }, { signal }])
    const at = new Date(0)
    expect(await argumentsOf('converted', { at: at.toISOString() })).toEqual([{ at, signal }])
  })

  it('is left alone where only a variant of its request takes one, and where a mapper makes its arguments', async () => {
    expect(await argumentsOf('either')).toEqual([{ id: 'A-1' }])
    expect(await argumentsOf('mapped')).toEqual([[]])
  })

  it('has the signal in what a mapper wraps', async () => {
    const payload = (given: object, _: unknown, next: (given: object) => [string, object]): unknown => {
      const [id, options] = next(given)
      return [id, { timeout: 1, ...options }]
    }
    expect(await argumentsOf('options', { id: 'A-1' }, { options: { payload } })).toEqual([
      'A-1',
      { timeout: 1, signal },
    ])
  })

  it('has code that says so in words of its own, and that compiles', () => {
    expect(bound.executor).toContain(
      'payload: (payload: types.GenericPayload, { meta }: MetaSource): GenericArgs => [payload, { signal: meta.signal }],',
    )
    expect(faultsOf(bound.root, '7.0', [executorFile])).toBe('')
  })

  it('is aborted when its caller gives up, also while it streams', async () => {
    for (const tool of ['options', 'stream']) {
      const caller = new AbortController()
      let heard: unknown
      const method = (_: string, options: { signal: AbortSignal }): unknown => {
        options.signal.addEventListener('abort', () => {
          heard = options.signal.reason
        })
        queueMicrotask(() => caller.abort('enough'))
        return tool === 'stream' ? (async function* () {})() : new Promise(() => {})
      }
      const outcome = keeper(tool, tool === 'stream' ? endless(method) : method).execute(newCall(tool), {
        signal: caller.signal,
      })
      expect(await outcome).toMatchObject({ status: 'failed', hint: { reason: 'cancelled' } })
      expect(heard).toBe('enough')
    }
  })

  it('is aborted when its time is over', async () => {
    let heard = false
    const method = (_: string, options: { signal: AbortSignal }): unknown => {
      options.signal.addEventListener('abort', () => {
        heard = true
      })
      return new Promise(() => {})
    }
    const agent = keeper('options', method).layer(timeout(5))
    expect(await agent.execute(newCall('options'))).toMatchObject({ status: 'failed', hint: { reason: 'timeout' } })
    expect(heard).toBe(true)
  })
})

/** A stream that says nothing until it is given up. */
function endless(ask: (...args: any[]) => unknown): (...args: any[]) => AsyncIterable<string> {
  return async function* (...args) {
    ask(...args)
    await new Promise(() => {})
  }
}
