import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { openedSessions, requireEmpty } from '../opened-sessions.mjs'
import { paced } from '../paced.mjs'
import { boundStock } from '../stock.mjs'

/** Makes calls at a constant rate in many sessions. Half of the sessions call a streaming tool. */
export async function prepare({ store, scale }) {
  const registry = new SessionRegistry({ agents: { stock: boundStock() }, store })
  const sessions = await openedSessions(registry, scale.many)
  const calling = sessions.map((session, index) => (index % 2 === 0 ? nonStreaming(session) : streaming(session)))
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
    const moments = ['result', 'acknowledged', 'updated', 'consumed']
    return Object.fromEntries(moments.map((moment) => [moment, all(moment)]))
  }
}

/** Returns a caller that resolves with the milliseconds since the call was due. */
function nonStreaming(session) {
  const call = callers.nonStreaming(session)
  return async (sku, due) => {
    await call(sku)
    return { result: performance.now() - due }
  }
}

function streaming(session) {
  const call = callers.streaming(session)
  return async (sku, due) => {
    const { acknowledged, updated } = await call(sku)
    return { acknowledged: acknowledged - due, updated: updated - due, consumed: performance.now() - due }
  }
}
