import { expect, it } from 'vitest'
import { streamUpdates } from './framework-tools.js'

/** Not JSON: an update that is kept would be parsed, and throw. */
const unread = '{'

/** A call that a test leads; `tell` is there when the first update is asked for. */
function call(): {
  readonly updates: AsyncGenerator<unknown, object, undefined>
  readonly tell: (update: string) => void
  readonly end: (answer: object) => void
} {
  let tell = (_update: string): void => undefined
  let end = (_answer: object): void => undefined
  const updates = streamUpdates<object>((onUpdate) => {
    tell = onUpdate
    return new Promise((resolve) => {
      end = resolve
    })
  })
  return { updates, tell: (update) => tell(update), end: (answer) => end(answer) }
}

it('gives the updates, then the answer, and keeps none that come behind it', async () => {
  const { updates, tell, end } = call()
  const first = updates.next()
  tell('1')
  expect(await first).toEqual({ done: false, value: 1 })
  const last = updates.next()
  end({ status: 'streaming' })
  expect(await last).toEqual({ done: true, value: { status: 'streaming' } })
  expect(() => tell(unread)).not.toThrow()
})

it('keeps none when the reader has gone', async () => {
  const { updates, tell } = call()
  const first = updates.next()
  tell('1')
  await first
  await updates.return({})
  expect(() => tell(unread)).not.toThrow()
})
