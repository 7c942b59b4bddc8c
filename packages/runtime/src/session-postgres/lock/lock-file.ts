import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { payloadCodec } from '../../codec/payload-codec.js'
import type { Codec } from '../../contract/codec.js'
import { peek } from '../../execute/failure/peek.js'
import type { ProcessIdentity } from './process-identity.js'

/** What a lock file says. */
export interface LockRecord extends ProcessIdentity {
  /** Unique to each attempt to take a lock. */
  readonly token: string
}

const text = { type: 'string' }
const codec: Codec<never, LockRecord> = payloadCodec({
  schema: {
    type: 'object',
    properties: {
      // Becomes a part of a file name.
      token: { type: 'string', pattern: '^[\\w-]+$' },
      pid: { type: 'integer', minimum: 1 },
      host: text,
      startTime: text,
      boot: text,
      pids: text,
    },
    required: ['token', 'pid', 'host'],
  },
})

/**
 * Makes a lock file, with all that it says, in one step: nobody ever sees half of it.
 *
 * @returns whether it was made: false where there is one
 */
export function createLockFile(file: string, record: LockRecord): boolean {
  const draft = `${file}.${record.token}`
  writeFileSync(draft, JSON.stringify(record), { flag: 'wx' })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (peek(error, 'code') === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft)
  }
}

/** What a lock file says; absent where there is none, `unreadable` where it is no lock file of ours. */
export function readLockFile(file: string): LockRecord | 'unreadable' | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (peek(error, 'code') === 'ENOENT') return undefined
    throw error
  }
  const decoded = codec.decode(text)
  return decoded.ok ? decoded.value : 'unreadable'
}
