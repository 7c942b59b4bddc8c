import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { continuously } from '../continuously.mjs'
import { openedSessions, requireEmpty } from '../opened-sessions.mjs'
import { ranks } from '../ranks.mjs'
import { boundStock } from '../stock.mjs'

/** Prepares callers that make one call after the other, each in its own session, or all with the toolset. */
export async function prepare({ store, scale, caller, count, isSession }) {
  const stock = boundStock()
  const rssBefore = process.memoryUsage().rss
  const registry = new SessionRegistry({ agents: { stock }, store })
  const sessions = isSession ? await openedSessions(registry, scale[count]) : []
  const tools = isSession ? sessions : Array.from({ length: scale[count] }, () => stock)
  const calling = tools.map(callers[caller])
  if (scale.warmUp > 0) await continuously(calling, scale.warmUp)
  return async () => {
    const { latencies, ...figures } = await continuously(calling, scale.round)
    requireEmpty(sessions)
    return { ...figures, ...ranks(latencies), mebibytes: (process.memoryUsage().rss - rssBefore) / 2 ** 20 }
  }
}
