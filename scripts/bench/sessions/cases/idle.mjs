import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { usedBytes } from '../garbage.mjs'
import { openedSessions } from '../opened-sessions.mjs'
import { boundStock } from '../stock.mjs'

/** Measures the memory of idle sessions: after opening, and after a call whose result was consumed. */
export async function prepare({ store, scale }) {
  const registry = new SessionRegistry({ agents: { stock: boundStock() }, store })
  // Allocates the objects that all sessions share.
  await usedSessions(await openedSessions(registry, 50, 'first'))
  return async () => {
    const before = await usedBytes()
    const sessions = await openedSessions(registry, scale.idle)
    const opened = await usedBytes()
    await usedSessions(sessions)
    const used = await usedBytes()
    if (registry.sessions.length < sessions.length) throw new Error('not all sessions are open')
    return { opened: (opened - before) / sessions.length, used: (used - before) / sessions.length }
  }
}

/** Makes a call in each session. Its subscriber ends afterwards. */
async function usedSessions(sessions) {
  for (const session of sessions) await callers.streaming(session)('SKU-1')
}
