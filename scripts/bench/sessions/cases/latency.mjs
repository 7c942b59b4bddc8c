import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { openedSessions, requireEmpty } from '../opened-sessions.mjs'
import { paced } from '../paced.mjs'
import { boundStock } from '../stock.mjs'

/** Calls at a steady rate over many sessions: every other session has a tool that answers once, the others one that streams. */
export async function prepare({ store, scale }) {
  const registry = new SessionRegistry({ agents: { stock: boundStock() }, store })
  const sessions = await openedSessions(registry, scale.many)
  const calling = sessions.map((session, place) => (place % 2 === 0 ? answering(session) : streaming(session)))
  const paceOf = (milliseconds) => ({
    perSecond: scale.perSecond,
    milliseconds,
    measure: (call, sku, due) => call(sku, due),
  })
  await paced(calling, paceOf(scale.warmUp))
  return async () => {
    const measured = await paced(calling, paceOf(scale.paced))
    requireEmpty(sessions)
    const all = (name) => measured.map((one) => one[name]).filter((value) => value !== undefined)
    return { call: all('call'), acknowledgement: all('acknowledgement'), update: all('update'), taken: all('taken') }
  }
}

/** Each with the milliseconds since the call was due. */
function answering(session) {
  const call = callers.answered(session)
  return async (sku, due) => {
    await call(sku)
    return { call: performance.now() - due }
  }
}

function streaming(session) {
  const call = callers.streaming(session)
  return async (sku, due) => {
    const { acknowledged, updated } = await call(sku)
    return { acknowledgement: acknowledged - due, update: updated - due, taken: performance.now() - due }
  }
}
