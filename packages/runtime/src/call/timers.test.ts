import { expect, it } from 'vitest'
import { type Abortable, untilAborted } from './timers.js'

it('untilAborted releases its listener once, also if the work ends after the abort', async () => {
  let abort = (_reason: unknown): void => undefined
  let released = 0
  const limit: Abortable = {
    aborted: undefined,
    whenAborted(target) {
      abort = (reason) => target.abort(reason)
      return () => {
        released += 1
      }
    },
  }
  let finish = (_value: string): void => undefined
  const work = new Promise<string>((resolve) => {
    finish = resolve
  })
  const waiting = untilAborted(limit, () => work)
  abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  finish('late')
  await work
  await Promise.resolve()
  expect(released).toBe(1)
})
