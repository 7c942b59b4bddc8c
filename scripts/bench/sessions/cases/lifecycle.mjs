import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { openedSessions, opening } from '../opened-sessions.mjs'
import { ranks } from '../ranks.mjs'
import { resultCounts } from '../scale.mjs'
import { boundStock, requireLevel, shelvesOfOneKilobyte, streamingCall } from '../stock.mjs'

/** Measures the time to close idle sessions, and to restore sessions with unread results. */
export async function prepare({ store, scale }) {
  const registry = new SessionRegistry({ agents: { stock: boundStock() }, store })
  await closes(registry, 5, 'warm-up')
  return async () => {
    const restored = {}
    for (const results of resultCounts) restored[results] = ranks(await restores(registry, results, scale.restores))
    return { closed: ranks(await closes(registry, scale.closes, 'closed')), restored }
  }
}

/** Closes sessions one after the other, after a call with a consumed result in each. Returns the milliseconds. */
async function closes(registry, count, prefix) {
  const times = []
  for (const session of await openedSessions(registry, count, prefix)) {
    await callers.streaming(session)('SKU-1')
    const before = performance.now()
    await registry.close(session.id)
    times.push(performance.now() - before)
  }
  return times
}

/** Restores a session repeatedly and checks that it has all results. Returns the milliseconds. */
async function restores(registry, results, count) {
  const id = `restored-${results}`
  const calls = Array.from({ length: results }, (_, index) => streamingCall(`SKU-${index}`, shelvesOfOneKilobyte))
  let session = await registry.open(id, opening)
  await Promise.all(calls.map((call) => session.execute(call)))
  const times = []
  for (let number = 0; number < count; number += 1) {
    await registry.close(id)
    const before = performance.now()
    session = await registry.restore(id, opening)
    times.push(performance.now() - before)
    const found = session.poll().filter(({ kind }) => kind === 'completed').length
    if (found !== results) throw new Error(`${found} of ${results} results were restored`)
  }
  const consumed = await session.consumeCompleted()
  const skus = consumed.map(({ completion }) => JSON.parse(completion.outcome.json).sku)
  for (const [index, { completion }] of consumed.entries())
    requireLevel(completion.outcome, skus[index], shelvesOfOneKilobyte)
  if (new Set(skus).size !== results || consumed.length !== results || session.poll().length > 0)
    throw new Error(`${consumed.length} of ${results} results were consumed`)
  await registry.close(id)
  return times
}
