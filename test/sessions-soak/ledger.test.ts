import { describe, expect, it } from 'vitest'
import type { SessionCompletion, SessionEntry, SessionUpdate } from '../../packages/runtime/src/sessions.js'
import { Ledger } from './ledger.js'
import type { SessionRecord } from './records.js'

const session = 's-0'
const facts = { callId: 'c-1', toolCallId: 'k', tool: 'sinks.sink', isRun: false } as const
const said = {
  call: { tool: facts.tool, toolCallId: facts.toolCallId },
  provenance: { tool: facts.tool, durationMs: 1, attempts: 1 },
} as const

function update(index: number, name = session): SessionUpdate {
  const json = JSON.stringify({ session: name, key: 'k', index })
  return { kind: 'update', sequence: index, ...facts, index, update: json }
}

function result(name = session): SessionCompletion {
  const json = JSON.stringify({ session: name, key: 'k', updates: 2, pad: 'xxx' })
  return { kind: 'completed', sequence: 3, ...facts, outcome: { ...said, status: 'completed', json } }
}

const message = 'The process ended.'
const interrupted: SessionCompletion = {
  kind: 'completed',
  sequence: 3,
  ...facts,
  outcome: {
    ...said,
    status: 'failed',
    error: { reason: 'interrupted', message },
    hint: { reason: 'interrupted', action: 'replan', message, tool: facts.tool },
  },
}

const opened = { type: 'restored', session, entries: [], pending: [] } as const
const called: SessionRecord = { type: 'called', session, key: 'k', updates: 2, pad: 3, end: 'result' }
const acknowledged: SessionRecord = { type: 'acknowledged', session, key: 'k', callId: facts.callId }
const begun = [opened, called, acknowledged]
const all = [update(1), update(2), result()]

function restored(...entries: readonly SessionEntry[]): SessionRecord {
  return { ...opened, entries }
}

function seen(entry: SessionEntry): SessionRecord {
  return { type: 'seen', session, entry }
}

function taking(...entries: readonly SessionEntry[]): SessionRecord {
  const names = entries.map((entry) => ({ key: 'k', index: entry.kind === 'update' ? entry.index : 0 }))
  return { type: 'taking', session, take: 1, entries: names }
}

function takes(...entries: readonly SessionEntry[]): readonly SessionRecord[] {
  return [taking(...entries), { type: 'taken', session, take: 1, entries }]
}

/** @param lives what one process after the other wrote */
function ledgerOf(...lives: readonly (readonly SessionRecord[])[]): Ledger {
  const ledger = new Ledger()
  for (const records of lives) ledger.read(records)
  ledger.finish()
  return ledger
}

describe('the ledger of killed processes', () => {
  it.each<[string, readonly (readonly SessionRecord[])[]]>([
    ['a call whose result is taken', [[...begun, ...takes(...all)]]],
    ['a call that is taken from while it runs', [[...begun, ...takes(update(1)), ...takes(update(2), result())]]],
    ['a call that the next process finds ended', [begun, [restored(...all), ...takes(...all)]]],
    ['a call that the next process finds interrupted', [begun, [restored(interrupted), ...takes(interrupted)]]],
    [
      'updates that were seen right before the kill and are not there',
      [
        [...begun, seen(update(1)), seen(update(2))],
        [restored(update(1), interrupted), ...takes(update(1), interrupted)],
      ],
    ],
    ['a call that nobody was told of and that is not there', [[opened, called], [opened]]],
    [
      'a take that was left, and made again',
      [[...begun, taking(...all), { type: 'left', session, take: 1, code: 'closed' }, ...takes(...all)]],
    ],
    [
      'a closed session that is opened again',
      [[...begun, { type: 'closed', session }, restored(...all), ...takes(...all)]],
    ],
  ])('finds nothing wrong with %s', (_, lives) => {
    expect(ledgerOf(...lives).faults).toEqual([])
  })

  it.each<[string, string, readonly (readonly SessionRecord[])[]]>([
    ['LOST', 'an acknowledged call of which nothing is left', [begun, [opened]]],
    ['LOST', 'an acknowledged call that is never taken', [begun, [restored(...all)]]],
    ['LOST', 'a result that was seen and is gone', [[opened, called, seen(result())], [opened]]],
    ['LOST', 'an update before a result', [[...begun, ...takes(update(2), result())]]],
    [
      'LOST',
      'an update that was taken by nobody',
      [
        [...begun, ...takes(update(2))],
        [restored(interrupted), ...takes(interrupted)],
      ],
    ],
    [
      'LOST',
      'an update that was seen before the session was closed',
      [[...begun, seen(update(1)), { type: 'closed', session }, restored(interrupted)]],
    ],
    ['TWICE', 'a result that is taken twice', [[...begun, ...takes(...all), ...takes(result())]]],
    ['TWICE', 'an update that is taken twice', [[...begun, ...takes(update(1)), ...takes(update(1))]]],
    ['TWICE', 'a result that is there after it was taken', [[...begun, ...takes(...all)], [restored(result())]]],
    ['TWICE', 'a result that comes back after it was gone', [[...begun, taking(...all)], [opened], [restored(...all)]]],
    ['TWICE', 'a subscriber that is told something again', [[...begun, seen(update(1)), seen(update(1))]]],
    [
      'CHANGED',
      'a result that was seen as another one',
      [
        [...begun, seen(result())],
        [restored(interrupted), ...takes(interrupted)],
      ],
    ],
    ['UNTRUE', 'a call that is interrupted in its own process', [[...begun, ...takes(interrupted)]]],
    [
      'UNTRUE',
      'a call that was refused',
      [[opened, called, { type: 'refused', session, key: 'k', code: 'store_failed' }]],
    ],
    [
      'UNTRUE',
      'a call that was answered without a reason',
      [[opened, called, { type: 'answered', session, key: 'k', status: 'failed' }]],
    ],
    [
      'UNTRUE',
      'a take that gives something else than there was',
      [[...begun, taking(result()), ...takes(...all).slice(1)]],
    ],
    ['MIXED', 'a result of another session', [[...begun, ...takes(update(1), update(2), result('s-1'))]]],
    ['MIXED', 'a call in another session', [[...begun, { ...opened, session: 's-1', entries: [result()] }]]],
    [
      'MIXED',
      'a session that another user gets',
      [[opened, { type: 'strange', session, user: 'u-9', answer: 'given' }]],
    ],
    ['INVENTED', 'a call that nobody made', [[opened, ...takes(result())]]],
  ])('finds %s: %s', (kind, _, lives) => {
    expect(ledgerOf(...lives).faults.join('\n')).toContain(`${kind}: `)
  })

  it('allows a process whose sessions another one has opened that it is refused, and no other', () => {
    const refused: SessionRecord = { type: 'refused', session, key: 'k', code: 'superseded' }
    const left: SessionRecord = { type: 'left', session, take: 1, code: 'superseded' }
    const lives = [opened, called, refused, taking(), left]
    const overtaken = new Ledger()
    overtaken.read(lives, { isOvertaken: true })
    expect(overtaken.faults).toEqual([])
    expect(ledgerOf(lives).faults).toHaveLength(2)
  })

  it('counts what a killed process was taking, whether it is there afterwards or not', () => {
    const underWay = [...begun, taking(...all)]
    const there = ledgerOf(underWay, [restored(...all), ...takes(...all)])
    const gone = ledgerOf(underWay, [opened])
    expect([there.faults, gone.faults]).toEqual([[], []])
    expect(there.counts).toMatchObject({ takesUnderWay: 1, entriesUnderWay: 3, entriesUnknown: 0 })
    expect(gone.counts).toMatchObject({ takesUnderWay: 1, entriesUnderWay: 3, entriesUnknown: 3 })
  })

  it('reports a call that was stored, and whose acknowledgement was lost', () => {
    const { faults, counts } = ledgerOf([opened, called], [restored(interrupted), ...takes(interrupted)])
    expect(faults).toEqual([])
    expect(counts).toMatchObject({ acknowledged: 0, storedUnanswered: 1 })
  })
})
