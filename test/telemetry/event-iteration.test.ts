import { type EventSink, type RunEvent, Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, callTools, type RunHandle } from '@toolgen/runtime/agents'
import { describe, expect, it } from 'vitest'

const TURNS = 100
/** Each turn begins and ends a step and a call; the run and its last step besides. */
const EVENTS = TURNS * 4 + 4

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function until(done: () => boolean): Promise<void> {
  await expect.poll(done).toBe(true)
}

/** How many events have happened when no more do. */
async function heldAt(told: () => number): Promise<number> {
  await until(() => told() > 95)
  for (let before = -1; before !== told(); ) {
    before = told()
    await pause(50)
  }
  return told()
}

const echo = tool({ name: 'echo', description: '', parameters: {}, run: (args) => args })

const stream = tool({
  name: 'stream',
  description: '',
  parameters: {},
  updates: {},
  run: async (_, { emit }) => {
    for (let index = 0; index < 300; index += 1) await emit(index)
  },
})

/** A run of 100 turns; `told` counts the events that have happened. */
function longRun(name = 'echo'): { readonly run: RunHandle; readonly told: () => number } {
  let told = 0
  const sink: EventSink = () => {
    told += 1
  }
  const agent = new Runtime({ sinks: [sink] }).registerAgent(
    { name: 'helper', description: '' },
    [toolset('local', echo, stream)],
    {
      policy: { maxTurns: TURNS + 1 },
      planner: ({ turn }) =>
        turn <= (name === 'echo' ? TURNS : 1) ? callTools({ tool: name, arguments: '{}' }) : answer('Fine.'),
    },
  )
  return { run: agent.run('Hello?'), told: () => told }
}

async function all(run: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

describe('iterating over a run', () => {
  it('gives every event once and in order, to each iteration', async () => {
    const { run } = longRun()
    const [one, two] = await Promise.all([all(run), all(run)])
    expect(one.map(({ sequence }) => sequence)).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1))
    expect(two).toEqual(one)
    expect((await run).events).toEqual(one)
  })

  it('gives all events from the first one on when the run has ended already', async () => {
    const { run } = longRun()
    const { events } = await run
    expect(await all(run)).toEqual(events)
    expect(events).toHaveLength(EVENTS)
  })

  it('gives what is still to come to one that begins in the middle, and what was before', async () => {
    const { run, told } = longRun()
    const first = run[Symbol.asyncIterator]()
    await first.next()
    await until(() => told() > 50)
    const late = all(run)
    await first.return?.()
    expect(await late).toHaveLength(EVENTS)
  })

  it('holds a run that is about 100 events ahead, and lets it go on as it is read', async () => {
    const { run, told } = longRun()
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    const held = await heldAt(told)
    expect(held).toBeGreaterThan(95)
    expect(held).toBeLessThanOrEqual(105)
    for (let read = 0; read < 40; read += 1) await iterator.next()
    await until(() => told() >= held + 36)
    expect(await heldAt(told)).toBeLessThanOrEqual(held + 44)
    await iterator.return?.()
    await run
  })

  it('holds a streaming tool too', async () => {
    const { run, told } = longRun('stream')
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    const held = await heldAt(told)
    expect(held).toBeGreaterThan(95)
    expect(held).toBeLessThanOrEqual(105)
    let read = 1
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) read += 1
    expect(read).toBe(told())
    expect((await run).outcomes).toMatchObject([{ status: 'completed' }])
    expect(read).toBe(300 + 8)
  })

  it('no longer holds a run for which somebody waits, and loses nothing', async () => {
    const { run, told } = longRun()
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    await pause(20)
    expect(told()).toBeLessThan(110)
    expect((await run).status).toBe('completed')
    expect(told()).toBe(EVENTS)
    let read = 1
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) read += 1
    expect(read).toBe(EVENTS)
  })

  it('lets a run end whose loop was left', async () => {
    const { run, told } = longRun()
    for await (const event of run) if (event.type === 'call_ended') break
    await until(() => told() === EVENTS)
  })

  it('lets a run end whose loop threw', async () => {
    const { run, told } = longRun()
    const loop = async (): Promise<void> => {
      for await (const _ of run) throw new Error('the loop is broken')
    }
    await expect(loop()).rejects.toThrow('the loop is broken')
    await until(() => told() === EVENTS)
  })

  it('holds no run that nobody iterates over', async () => {
    const { told } = longRun()
    await until(() => told() === EVENTS)
  })
})

it('events come as calls end, results stay in call order', async () => {
  const wait = tool({ name: 'wait', description: '', parameters: {}, run: ({ ms }) => pause(ms).then(() => ms) })
  const agent = new Runtime().registerAgent({ name: 'helper', description: '' }, [toolset('local', wait)], {
    planner: ({ turn }) =>
      turn === 1
        ? callTools(...[60, 5, 30].map((ms) => ({ tool: 'wait', arguments: `{"ms":${ms}}`, toolCallId: `c-${ms}` })))
        : answer('Fine.'),
  })
  const run = agent.run('Hello?')
  const ended = (await all(run)).flatMap((event) => (event.type === 'call_ended' ? [event.call.toolCallId] : []))
  expect(ended).toEqual(['c-5', 'c-30', 'c-60'])
  const { outcomes, messages } = await run
  expect(outcomes.map(({ call }) => call.toolCallId)).toEqual(['c-60', 'c-5', 'c-30'])
  expect(messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))).toEqual(['60', '5', '30'])
})
