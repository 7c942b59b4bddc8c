import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { openedSessions, opening } from '../opened-sessions.mjs'
import { ranks } from '../ranks.mjs'
import { boundStock, requireLevel, shelvesOfOneKilobyte, streamingCall } from '../stock.mjs'

/** How many results of 1 KB the sessions have that are restored. */
export const resultCounts = [0, 10, 100]

/** How long it takes to close idle sessions, and to restore sessions with results that nobody has taken. */
export async function prepare({ store, scale }) {
  const registry = new SessionRegistry({ agents: { stock: boundStock() }, store })
  await closes(registry, 5, 'warm-up')
  return async () => {
    const restored = {}
    for (const results of resultCounts) restored[results] = ranks(await restores(registry, results, scale.restores))
    return { closed: ranks(await closes(registry, scale.closes, 'closed')), restored }
  }
}

/** The milliseconds of each, one after the other; each session has made a call, whose result was taken. */
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

/** The milliseconds of each; all results must be there every time, and can be taken in the end, once. */
async function restores(registry, results, count) {
  const id = `restored-${results}`
  const asked = Array.from({ length: results }, (_, index) => streamingCall(`SKU-${index}`, shelvesOfOneKilobyte))
  let session = await registry.open(id, opening)
  await Promise.all(asked.map((call) => session.execute(call)))
  const times = []
  for (let number = 0; number < count; number += 1) {
    await registry.close(id)
    const before = performance.now()
    session = await registry.restore(id, opening)
    times.push(performance.now() - before)
    const found = session.poll().filter(({ kind }) => kind === 'completed').length
    if (found !== results) throw new Error(`${found} of ${results} results were restored`)
  }
  const taken = await session.consumeCompleted()
  const skus = taken.map(({ completion }) => JSON.parse(completion.outcome.json).sku)
  for (const [index, { completion }] of taken.entries())
    requireLevel(completion.outcome, skus[index], shelvesOfOneKilobyte)
  if (new Set(skus).size !== results || taken.length !== results || session.poll().length > 0)
    throw new Error(`${taken.length} of ${results} results were taken`)
  await registry.close(id)
  return times
}
