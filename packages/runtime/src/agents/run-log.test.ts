import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../types/run.js'
import { EventLog } from './run-log.js'

const event = (sequence: number): RunEvent => ({ type: 'step_started', turn: sequence, at: 0, sequence })

function filled(log: EventLog, count: number): EventLog {
  for (let index = 1; index <= count; index += 1) log.push(event(index))
  return log
}

async function read(events: AsyncIterable<RunEvent>): Promise<readonly number[]> {
  const seen: number[] = []
  for await (const { sequence } of events) seen.push(sequence)
  return seen
}

/** Whether a promise is settled after a turn of the event loop. */
async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  let settled = false
  void promise?.then(() => {
    settled = true
  })
  await new Promise((resolve) => setTimeout(resolve, 1))
  return promise === undefined || settled
}

describe('the log of a run', () => {
  it('gives every iterator every event from the first on, also after the end', async () => {
    const log = filled(new EventLog(), 2)
    const early = read(log.iterate())
    log.push(event(3))
    const late = read(log.iterate())
    log.push(event(4))
    log.close()
    expect(await early).toEqual([1, 2, 3, 4])
    expect(await late).toEqual([1, 2, 3, 4])
    expect(await read(log.iterate())).toEqual([1, 2, 3, 4])
  })

  it('makes an event of what was noted, once, in the order in which it happened', async () => {
    const log = new EventLog()
    const note = (sequence: number) =>
      log.push({ origin: { runId: 'r-1' }, body: { type: 'step_started', turn: sequence }, at: 7, sequence })
    note(1)
    const iterated = read(log.iterate())
    log.push(event(2))
    note(3)
    log.close()
    const [first] = log.entries
    expect(first).toEqual({ ...event(1), at: 7, runId: 'r-1' })
    expect(Object.isFrozen(first)).toBe(true)
    expect(log.entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(log.entries[0]).toBe(first)
    expect(await iterated).toEqual([1, 2, 3])
  })

  it('answers those who ask at once in their order', async () => {
    const log = new EventLog()
    const events = log.iterate()
    const asked = Promise.all([events.next(), events.next(), events.next()])
    filled(log, 2).close()
    expect((await asked).map(({ value, done }) => (done ? 'done' : value.sequence))).toEqual([1, 2, 'done'])
  })

  it('has room until an iterator is more than 100 events behind, and again when it has caught up', async () => {
    const log = filled(new EventLog(), 500)
    expect(log.room()).toBeUndefined()
    const events = log.iterate()
    const room = log.room()
    expect(await isSettled(room)).toBe(false)
    for (let index = 0; index < 399; index += 1) await events.next()
    expect(await isSettled(room)).toBe(false)
    await events.next()
    expect(await isSettled(room)).toBe(true)
    expect(log.room()).toBeUndefined()
  })

  it.each([
    ['the iterator leaves', (_: EventLog, events: AsyncIterator<RunEvent>) => void events.return?.()],
    ['somebody waits for the run', (log: EventLog) => log.lift()],
    ['the run has ended', (log: EventLog) => log.close()],
  ])('has room when %s', async (_, act) => {
    const log = filled(new EventLog(), 200)
    const events = log.iterate()
    const room = log.room()
    expect(await isSettled(room)).toBe(false)
    act(log, events)
    expect(await isSettled(room)).toBe(true)
  })

  it('lets go of an iterator that leaves while it waits', async () => {
    const log = new EventLog()
    const events = log.iterate()
    const waiting = events.next()
    await events.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await events.next()).toEqual({ done: true, value: undefined })
    filled(log, 300)
    expect(log.room()).toBeUndefined()
  })
})
