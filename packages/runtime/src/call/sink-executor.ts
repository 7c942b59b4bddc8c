import type { ExecutorRequest, ToolExecutor, UpdateSink } from '../types/executor.js'
import { peek, ToolFailure } from './tool-failure.js'

/** The error of an update after the end of its call. */
export function lateUpdate(): ToolFailure {
  return new ToolFailure('The call has ended: it takes no more updates.', { reason: 'cancelled' })
}

/**
 * An executor over sources that call back, such as sockets and emitters. A function that returns nothing leaves its call
 * open until the sink has an end or the call is aborted; where it gives back a promise, the sink must have its end when
 * that is resolved. What the function throws or rejects with fails the call.
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
          // Only a promise says when the function is done.
          if (typeof peek(running, 'then') === 'function') Promise.resolve(running).then(sink.close, sink.fail)
        } catch (error) {
          sink.fail(error)
        }
      }),
  })
}

/** Returns the sink of one call. Its methods work without it, as listeners do. */
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
      // Sources that call back do not wait for it, and would go on after an error.
      emitted.catch(fail)
      return emitted
    },
    complete: (result: unknown) => end(() => resolve(result)),
    fail,
    close: () => {
      const message = `The tool '${request.tool.id}' ended without a result: its sink was neither completed nor failed.`
      fail(new ToolFailure(message, { reason: 'internal' }))
    },
  })
}
