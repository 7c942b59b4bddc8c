import { deepStrictEqual } from 'node:assert'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { continuously } from '../continuously.mjs'
import { openedSessions, opening, requireEmpty } from '../opened-sessions.mjs'
import { ranks } from '../ranks.mjs'
import { boundStock, streamingCall } from '../stock.mjs'

/** Prepares streaming calls in one, many and most sessions, and saves without calls: of one state, and of many states in parallel. */
export async function prepare({ store, statements, scale }) {
  const registry = new SessionRegistry({ agents: { stock: boundStock() }, store })
  const sessions = await openedSessions(registry, scale.most)
  const calling = sessions.map(callers.streaming)
  const saving = await savesOf(store, registry, scale.many)
  const works = {
    'one call': calling.slice(0, 1),
    'many calls': calling.slice(0, scale.many),
    'most calls': calling,
    'one save': saving.slice(0, 1),
    'many saves': saving,
  }
  if (scale.warmUp > 0) for (const work of Object.values(works)) await continuously(work, scale.warmUp / 5)
  return async () => {
    const figures = {}
    for (const [name, work] of Object.entries(works)) {
      const before = statements()
      const { latencies, ...rest } = await continuously(work, scale.round)
      figures[name] = { ...rest, ...ranks(latencies), statements: (statements() - before) / latencies.length }
    }
    requireEmpty(sessions)
    return figures
  }
}

/** Returns functions that save the state of a session with one result. */
async function savesOf(store, registry, count) {
  const session = await registry.open('with-a-result', opening)
  const entries = session[Symbol.asyncIterator]()
  await session.execute(streamingCall('SKU-1'))
  for (const _ of ['update', 'completed']) await entries.next()
  const state = {
    version: 1,
    ...opening,
    availableTools: session.tools.map(({ name }) => name),
    entries: session.poll(),
    running: [],
    nextSequence: session.poll().length + 1,
  }
  const saves = Array.from({ length: count }, (_, index) => () => {
    return store.save({ ...state, sessionId: `saved-${index}` }, 'benchmark')
  })
  await saves[0]()
  const claimed = await store.claim('saved-0', { userId: opening.userId, owner: 'benchmark', takeOver: true })
  deepStrictEqual(claimed.entries, state.entries)
  return saves
}
