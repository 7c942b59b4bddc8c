import { answeredCall, requireLevel, requireTaken, streamingCall } from './stock.mjs'

/**
 * Whoever calls, one call after the other: each is a function of a session or a toolset that gives a function of an
 * article. That resolves when the call is over, and rejects where its result is not what it should be.
 */
export const callers = { answered, streaming, streamingWithout }

/** A tool that answers once, in a session or in a toolset. */
function answered(tools) {
  return async (sku) => {
    const outcome = await tools.execute(answeredCall(sku))
    requireLevel(outcome, sku)
  }
}

/**
 * A streaming tool in a session: acknowledged, its update and its end seen by a subscriber, taken. Resolves with the
 * moments of the acknowledgement and of the first update.
 */
function streaming(session) {
  const entries = session[Symbol.asyncIterator]()
  return async (sku) => {
    const seen = firstUpdate(entries)
    const answer = await session.execute(streamingCall(sku))
    const acknowledged = performance.now()
    if (answer.status !== 'streaming') throw new Error(`not acknowledged: ${JSON.stringify(answer)}`)
    const updated = await seen
    await nextEntry(entries, 'completed')
    requireTaken(await session.consumeCompleted(), answer.callId, sku)
    return { acknowledged, updated }
  }
}

/** The same tool without a session: what it says on its way goes nowhere. */
function streamingWithout(toolset) {
  return async (sku) => {
    const outcome = await toolset.execute(streamingCall(sku))
    requireLevel(outcome, sku)
  }
}

async function firstUpdate(entries) {
  await nextEntry(entries, 'update')
  return performance.now()
}

async function nextEntry(entries, kind) {
  const { value } = await entries.next()
  if (value?.kind !== kind) throw new Error(`not an entry of the kind ${kind}: ${JSON.stringify(value)}`)
}
