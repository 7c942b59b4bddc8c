import { nonStreamingCall, requireConsumed, requireLevel, streamingCall } from './stock.mjs'

/**
 * Functions that create a caller for a session or a toolset. A caller makes one call for an article. It resolves when the call has ended, and rejects
 * if the result is wrong.
 */
export const callers = { nonStreaming, streaming, streamingWithoutSession }

/** Calls a tool that does not stream. */
function nonStreaming(tools) {
  return async (sku) => {
    const outcome = await tools.execute(nonStreamingCall(sku))
    requireLevel(outcome, sku)
  }
}

/**
 * Calls a streaming tool in a session. The session acknowledges the call, a subscriber receives its update and its end, and the caller consumes the
 * result. Resolves with the times of the acknowledgement and of the first update.
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

/** Calls the same tool without a session. No subscriber receives its update. */
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
