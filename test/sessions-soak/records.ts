import { existsSync, readFileSync } from 'node:fs'
import type { SessionEntry, StoredCall } from '../../packages/runtime/src/sessions.js'

/** An entry of a call, by the key of the call. `index` is 0 for the completion. */
export interface EntryName {
  readonly key: string
  readonly index: number
}

/** Record of a process about one session, written after an event or directly before an action. */
export type SessionRecord = { readonly session: string } & (
  | { readonly type: 'restored'; readonly entries: readonly SessionEntry[]; readonly pending: readonly StoredCall[] }
  | { readonly type: 'strange'; readonly user: string; readonly answer: string }
  | {
      readonly type: 'called'
      readonly key: string
      readonly updates: number
      readonly pad: number
      readonly end: CallPlan['end']
    }
  | { readonly type: 'acknowledged'; readonly key: string; readonly callId: string }
  | { readonly type: 'answered'; readonly key: string; readonly status: string }
  | { readonly type: 'refused'; readonly key: string; readonly code: string }
  | { readonly type: 'cancelling'; readonly key: string }
  | { readonly type: 'seen'; readonly entry: SessionEntry }
  | { readonly type: 'taking'; readonly take: number; readonly entries: readonly EntryName[] }
  | { readonly type: 'taken'; readonly take: number; readonly entries: readonly SessionEntry[] }
  | { readonly type: 'left'; readonly take: number; readonly code: string }
  | { readonly type: 'closing'; readonly cancel: boolean }
  | { readonly type: 'closed' }
)

/** A record of one type. */
export type RecordOf<Type extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: Type }>

/** Instructions for the tool of a call. */
export interface CallPlan {
  readonly updates: number
  /** Length of a text in the result. */
  readonly pad: number
  readonly end: 'result' | 'failure' | 'never'
}

/** Returns the records of one process. Ignores an incomplete last line. */
export function readRecords(path: string): readonly SessionRecord[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}
