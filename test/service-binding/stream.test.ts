import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { provenanced, Runtime } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dateTime, integer, list, object, string } from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

const lines = [1, 2, 3].map((number) => ({ text: `line ${number}`, at: new Date(number), secret: 'x' }))
const told = ['{"text":"line 1"}', '{"text":"line 2"}', '{"text":"line 3"}']
const path = object({ path: string })

let bound: BoundClient
/** The generated entry of the agent, and that of its toolset; compiled on their own, see below. */
let generated: any

beforeAll(async () => {
  bound = await bindPublished({
    types: `import type { Provenanced } from '../../../packages/runtime/dist/index.js'
interface Line { text: string; at: Date; secret: string }
interface Client {
  tail(request: { path: string }): AsyncGenerator<Line, void>
  latest(path: string): Promise<Provenanced<AsyncIterable<Line>>>
  body(path: string): Promise<ReadableStream<Line>>
  bytes(path: string): AsyncIterable<Uint8Array>
}`,
    tools: {
      tail: { payload: path, updates: object({ text: string }), result: list(object({ text: string, at: dateTime })) },
      latest: { payload: path, updates: object({ text: string }), result: object({ text: string }), collect: 'last' },
      body: { payload: path, updates: object({ text: string }), result: list(object({ text: string })) },
      bytes: { payload: path, updates: object({ size: integer }), result: object({ total: integer }) },
    },
  })
  const [agent, toolset] = await Promise.all([
    import(join(bound.root, 'gen/agents/keeper/index.ts')),
    import(join(bound.root, 'gen/toolsets/zoo/index.ts')),
  ])
  generated = { ...agent, ...toolset }
})

afterAll(() => removeProject(bound.root))

const bytes = {
  update: (chunk: Uint8Array) => ({ size: chunk.length }),
  result: (chunks: readonly Uint8Array[]) => ({ total: chunks.reduce((sum, { length }) => sum + length, 0) }),
}

interface Asked {
  readonly call?: object
  readonly mappers?: object
  readonly signal?: AbortSignal
  readonly onUpdate?: (update: string) => void
}

/** Calls the tool of a name through the generated executor; answers with the outcome and the updates that were told. */
async function call(tool: string, method: (...args: any[]) => unknown, asked: Asked = {}) {
  const updates: string[] = []
  const { mappers, ...options } = asked
  const keeper = generated.registerKeeper(new Runtime(), {
    toolsets: { zoo: { client: { [tool]: method }, mappers: { bytes, ...mappers } } },
  })
  const newCall = generated[`new${tool.charAt(0).toUpperCase()}${tool.slice(1)}Call`]
  const onUpdate = (update: string): unknown => updates.push(update)
  return { outcome: await keeper.execute(newCall({ path: 'a.log' }), { onUpdate, ...options }), updates }
}

describe('a method that streams', () => {
  it('is bound item by item, where that can be', () => {
    expect(bound.verdicts).toEqual({
      tail: 'pass / convert / convert',
      latest: 'pass / convert / convert',
      body: 'pass / convert / convert',
      bytes: 'pass / mapper TG4203 / mapper TG4203',
    })
  })

  it('has a generated executor that compiles, and that says which mappers it needs', () => {
    const checks = `import type { KeeperZooServiceExecutorOptions as Options } from './gen/agents/keeper/zoo.service.js'
const update = (chunk: Uint8Array): { size: number } => ({ size: chunk.length })
const result = (chunks: readonly Uint8Array[]): { total: number } => ({ total: chunks.length })
export const enough: Options = { mappers: { bytes: { update, result } } }
// @ts-expect-error the updates need a mapper
export const noUpdate: Options = { mappers: { bytes: { result } } }
// @ts-expect-error the result needs one
export const noResult: Options = { mappers: { bytes: { update } } }
export const around: Options = {
  mappers: {
    bytes: { update, result },
    tail: { update: (line, _, next) => next({ ...line, text: '' }), result: (lines, _, next) => next(lines.slice(1)) },
    latest: { result: (line, _, next) => next({ ...line, text: line.text.trim() }) },
  },
}
`
    writeFileSync(join(bound.root, 'checks.ts'), checks)
    expect(faultsOf(bound.root, '7.0', [executorFile, 'checks.ts'])).toBe('')
  })

  it('reports its items as updates, in order, and their array as the result', async () => {
    const { outcome, updates } = await call('tail', async function* (request) {
      expect(request).toEqual({ path: 'a.log' })
      yield* lines
    })
    expect(updates).toEqual(told)
    expect(outcome).toMatchObject({ status: 'completed' })
    expect(JSON.parse(outcome.json)).toEqual(lines.map(({ text, at }) => ({ text, at: at.toISOString() })))
  })

  it("returns the last item as the result with `collect: 'last'`, with its details", async () => {
    const { outcome, updates } = await call('latest', async () =>
      provenanced(ReadableStream.from(lines), { service: 'logs' }),
    )
    expect(updates).toEqual(told)
    expect(outcome).toMatchObject({ json: '{"text":"line 3"}', provenance: { service: 'logs' } })
  })

  it('may be a ReadableStream', async () => {
    const { outcome, updates } = await call('body', async () => ReadableStream.from(lines))
    expect(updates).toEqual(told)
    expect(outcome).toMatchObject({ json: `[${told.join(',')}]` })
  })

  it('may have no items: their list is empty, and there is no last one', async () => {
    expect((await call('tail', async function* () {})).outcome).toMatchObject({ json: '[]' })
    const { outcome } = await call('latest', async () => ReadableStream.from([]))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'malformed_result' } })
  })

  it('is turned by the mappers of the application where no transform was found', async () => {
    const { outcome, updates } = await call('bytes', () => ReadableStream.from([new Uint8Array(2), new Uint8Array(3)]))
    expect([outcome.json, updates]).toEqual(['{"total":5}', ['{"size":2}', '{"size":3}']])
    expect(() => generated.registerKeeper(new Runtime(), { toolsets: { zoo: { client: {} } } })).toThrow(
      /an update mapper\. Set toolsets\.zoo\.mappers\.bytes\.update.*mappers\.bytes\.result/s,
    )
  })

  it('is turned by a mapper around a transform that was found', async () => {
    const update = (line: object, _: unknown, next: (line: object) => unknown) => next({ ...line, text: 'x' })
    const { outcome, updates } = await call('latest', async () => ReadableStream.from(lines), {
      mappers: { latest: { update } },
    })
    expect([outcome.json, updates]).toEqual(['{"text":"line 3"}', Array(3).fill('{"text":"x"}')])
  })

  it('fails midway with its own error; earlier updates remain', async () => {
    const { outcome, updates } = await call('tail', async function* () {
      yield* lines.slice(0, 2)
      throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    })
    expect(updates).toEqual(told.slice(0, 2))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'unavailable' } })
  })

  it('fails where an item is no update, and is closed', async () => {
    let isClosed = false
    const { outcome, updates } = await call('tail', async function* () {
      try {
        yield* [lines[0], { text: 1, at: new Date() }, lines[2]]
      } finally {
        isClosed = true
      }
    })
    expect(updates).toEqual(told.slice(0, 1))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'malformed_result' } })
    expect(isClosed).toBe(true)
  })

  it('fails where it does not stream, whatever its type says', async () => {
    const { outcome } = await call('tail', () => lines)
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'malformed_result' } })
  })

  it('is closed when the call is cancelled', async () => {
    const cancel = new AbortController()
    const closed = new AbortController()
    const { outcome, updates } = await call(
      'tail',
      async function* () {
        try {
          yield* lines
        } finally {
          closed.abort()
        }
      },
      { signal: cancel.signal, onUpdate: () => cancel.abort() },
    )
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'cancelled' } })
    expect(updates).toEqual([])
    await expect.poll(() => closed.signal.aborted).toBe(true)
  })

  it('is not asked for more than whoever follows the run has read', async () => {
    let asked = 0
    const tail = async function* () {
      for (asked = 0; asked < 500; asked += 1) yield lines[0]
    }
    const planner: Planner = ({ outcomes }) =>
      outcomes.length === 0 ? callTools(generated.newTailCall({ path: 'a.log' })) : answer('done')
    const toolsets = { zoo: { client: { tail }, mappers: { bytes } } }
    const run = generated.registerKeeper(new Runtime(), { planner, toolsets }).run('Follow it.')
    const events = run[Symbol.asyncIterator]()
    await events.next()
    await expect.poll(() => asked).toBeGreaterThan(50)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(asked).toBeLessThan(150)
    expect(await run).toMatchObject({ status: 'completed' })
    expect(asked).toBe(500)
  })
})
