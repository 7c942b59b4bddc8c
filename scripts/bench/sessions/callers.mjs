import { nonStreamingCall, requireConsumed, requireLevel, streamingCall } from './stock.mjs'

/**
 * Functions of a session or a toolset that return a caller. A caller makes one call for an article, resolves when the call is
 * over, and rejects if the result is wrong.
 */
export const callers = { nonStreaming, streaming, streamingWithoutSession }

/** A tool that does not stream, in a session or in a toolset. */
function nonStreaming(tools) {
  return async (sku) => {
    const outcome = await tools.execute(nonStreamingCall(sku))
    requireLevel(outcome, sku)
  }
}

/**
 * A streaming tool in a session: the call is acknowledged, a subscriber receives its update and its end, and the result is
 * consumed. Resolves with the times of the acknowledgement and of the first update.
 */
function streaming(session) {
  const entries = session[Symbol.asyncIterator]()
  return async (sku) => {
    const update = firstUpdate(entries)
    const response = await session.execute(streamingCall(sku))
    const acknowledged = performance.now()
    if (response.status !== 'streaming') throw new Error(`not acknowledged: ${JSON.stringify(response)}`)
    const updated = await update
    await nextEntry(entries, 'completed')
    requireConsumed(await session.consumeCompleted(), response.callId, sku)
    return { acknowledged, updated }
  }
}

/** The same tool without a session. Nobody receives its update. */
function streamingWithoutSession(toolset) {
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
  if (value?.kind !== kind) throw new Error(`expected an entry of kind ${kind}: ${JSON.stringify(value)}`)
}
