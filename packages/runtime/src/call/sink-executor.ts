import type { ExecutorRequest, ToolExecutor, UpdateSink } from '../types/executor.js'
import { peek, ToolFailure } from './tool-failure.js'

export function lateUpdate(): ToolFailure {
  return new ToolFailure('The call has ended and accepts no more updates.', { reason: 'cancelled' })
}

/**
 * Returns an executor for callback-based sources such as sockets and event emitters. The call ends with `sink.complete`, with `sink.fail`,
 * or with an abort. If `run` returns a promise, call `sink.complete` or `sink.fail` before the promise resolves. If `run` throws or
 * rejects, the call fails with the same error.
 *
 * @example
 * const executor = sinkExecutor((request, sink) => {
 *   const socket = prices.subscribe(request.meta.labels['market'])
 *   sink.signal.addEventListener('abort', () => socket.close())
 *   socket.on('price', (price) => sink.emit(price))
 *   socket.on('end', (last) => sink.complete(last))
 *   socket.on('error', (error) => sink.fail(error))
 * })
 */
export function sinkExecutor(
  run: (request: ExecutorRequest, sink: UpdateSink) => void | PromiseLike<void>,
): ToolExecutor {
  return Object.freeze({
    execute: (request: ExecutorRequest) =>
      new Promise((resolve, reject) => {
        const sink = callSink(request, resolve, reject)
        try {
          const running: unknown = run(request, sink)
          // Only a promise shows when the function has finished. Without a promise, the call waits for the sink.
          if (typeof peek(running, 'then') === 'function') Promise.resolve(running).then(sink.close, sink.fail)
        } catch (error) {
          sink.fail(error)
        }
      }),
  })
}

function callSink(
  request: ExecutorRequest,
  resolve: (result: unknown) => void,
  reject: (error: unknown) => void,
): UpdateSink {
  const { signal } = request.meta
  let ended = false
  const end = (settle: () => void): boolean => {
    if (ended || signal.aborted) return false
    ended = true
    settle()
    return true
  }
  const fail = (error: unknown): boolean => end(() => reject(error))
  return Object.freeze({
    signal,
    emit: (update: unknown) => {
      const emitted = ended ? Promise.reject(lateUpdate()) : request.emit(update)
      // Callback-based sources do not await the promise, so a rejected update fails the call.
      emitted.catch(fail)
      return emitted
    },
    complete: (result: unknown) => end(() => resolve(result)),
    fail,
    close: () => {
      const message = `The tool '${request.tool.id}' ended without a result. Call sink.complete(result) or sink.fail(error).`
      fail(new ToolFailure(message, { reason: 'internal' }))
    },
  })
}
