import type { ToolLayer } from '../contract/layer.js'

/**
 * Ends a call that takes longer, as `timeout`. What runs is told by its signal; what it still does after that is heard
 * by nobody. Around `retry` the limit is for all attempts together, beneath it for each.
 *
 * @param milliseconds from 0 to 2,147,483,647
 * @throws {RangeError} for another number.
 *
 * @example
 * registration.layer(timeout(5_000))
 */
export function timeout(milliseconds: number): ToolLayer {
  if (!(milliseconds >= 0 && milliseconds <= 2_147_483_647)) {
    throw new RangeError(`timeout(${milliseconds}): give milliseconds from 0 to 2147483647`)
  }
  return (next) => (request) =>
    new Promise((resolve, reject) => {
      const { meta } = request
      const outer = meta.signal
      const controller = new AbortController()
      const end = (reason: unknown): void => {
        controller.abort(reason)
        request.fail(reason).then(resolve, reject)
      }
      const cancel = (): void => controller.abort(outer.reason)
      const timer = setTimeout(() => {
        end(new DOMException(`the call took longer than ${milliseconds} ms`, 'TimeoutError'))
      }, milliseconds)
      if (outer.aborted) cancel()
      else outer.addEventListener('abort', cancel)
      next(request.withMeta({ ...meta, signal: controller.signal }))
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer)
          outer.removeEventListener('abort', cancel)
        })
    })
}
