import type { ExecutorRequest, ToolExecutor, UpdateSink } from '../../contract/executor.js'
import { peek } from '../failure/peek.js'
import { callSink } from './call-sink.js'

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
        const sink = callSink(request, { resolve, reject })
        try {
          const later = run(request, sink)
          // Nothing but a promise tells when the function is done.
          if (isThenable(later)) later.then(sink.close, sink.fail)
        } catch (error) {
          sink.fail(error)
        }
      }),
  })
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof peek(value, 'then') === 'function'
}
