import { measured } from './measured.mjs'
import { below, row } from './row.mjs'

/** The rows of the memory of sessions that do nothing. */
export async function idleRows(bench) {
  const store = 'memory store'
  const [[{ opened, used }]] = await measured([{ name: 'idle', store }], { bench })
  const kilobytes = { contestant: store, unit: 'KB', aim: below(20) }
  return [
    row({ case: 'idle session, opened', value: opened / 1_000, ...kilobytes }),
    row({ case: 'idle session, after a call that was taken', value: used / 1_000, ...kilobytes }),
  ]
}
