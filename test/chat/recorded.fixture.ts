import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChatMessage } from '../../packages/runtime/src/types/chat.js'
import type { ChatChunk } from '../../packages/runtime/src/types/chat-reply.js'
import { dataFolder } from '../data.js'

/** Message from third-party source code, labelled with its dialect. */
export interface RecordedMessage {
  readonly dialect: string
  readonly source: string
  readonly message: ChatMessage
}

/** Recorded messages; empty without the data folder. */
export const recordedMessages: readonly RecordedMessage[] = linesOf('messages.jsonl')

/** Real conversations with tools; empty without the data folder. */
export const trajectories: readonly { readonly source: string; readonly messages: readonly ChatMessage[] }[] = linesOf(
  'tau_airline_trajectories.jsonl',
)

/** Recorded streams; empty without the data folder. */
export const streams: readonly { readonly source: string; readonly chunks: readonly ChatChunk[] }[] =
  linesOf('streams.jsonl')

function linesOf<Line>(file: string): readonly Line[] {
  const folder = dataFolder()
  if (folder === undefined) return []
  const lines = readFileSync(join(folder, 'chat', file), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
