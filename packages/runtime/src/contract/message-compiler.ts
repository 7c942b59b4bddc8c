import type { ChatMessage } from './chat-message.js'
import type { RunMeta } from './planner.js'
import type { AgentToolSpec } from './spec.js'

/** What the messages for a model are made of. */
export interface CompilerParts {
  /** What the run began with, the instructions first. */
  readonly conversation: readonly ChatMessage[]
  /** What the run has added since: its calls with their answers. */
  readonly trace: readonly ChatMessage[]
  readonly meta: RunMeta
  /** What the model may call. */
  readonly tools: readonly AgentToolSpec[]
}

/**
 * Makes the messages that a model is sent. The conversation of the run stays as it is. Keep each call together with its
 * answer: servers refuse one without the other.
 *
 * @example
 * const lastTen: MessageCompiler = ({ conversation, trace }) => [...conversation.slice(-10), ...trace]
 */
export type MessageCompiler = (parts: CompilerParts) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>

/**
 * A message compiler around another one.
 *
 * @example
 * const dated: CompilerWrap = (next) => async (parts) => [...(await next(parts)), { role: 'system', content: today() }]
 */
export type CompilerWrap = (next: MessageCompiler) => MessageCompiler
