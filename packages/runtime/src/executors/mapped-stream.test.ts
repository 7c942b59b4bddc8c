import { expect, it } from 'vitest'
import { lastCollector, MappedStream } from './service-streams.js'

async function* items(): AsyncGenerator<number, void, undefined> {
  yield* [1, 2, 3, 4]
}

it('an item of which no update is made is none, and counts for the result', async () => {
  const even = (item: number): string | undefined => (item % 2 === 0 ? `update ${item}` : undefined)
  const stream = new MappedStream(
    items(),
    even,
    lastCollector((item) => `last ${item}`),
  )
  expect(await stream.next()).toEqual({ done: false, value: 'update 2' })
  expect(await stream.next()).toEqual({ done: false, value: 'update 4' })
  expect(await stream.next()).toEqual({ done: true, value: 'last 4' })
})
