import { readCall } from '../call/call-context.js'
import { failedOutcome } from '../call/hints.js'
import { renderForModel } from '../call/render.js'
import type { ToolTable } from '../call/tool-table.js'
import { messageCalls } from '../chat/history.js'
import type { ToolCall } from '../types/call.js'
import type { ChatMessage, ChatToolCall } from '../types/chat.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { MetaField } from '../types/tool.js'
import type { RunSignal } from './run-signal.js'

/** How often an id is drawn that is used already. */
const MAX_DRAWS = 1_000

type AnyCall = ToolCall<unknown, MetaField>

/**
 * Gives the calls of one run their ids, step by step, in call order. A call keeps its own id unless an earlier one of the
 * run has it; in the conversation it keeps its own in any case, byte for byte.
 *
 * @param begun the ids that the run has used before
 */
export function callNames(
  table: ToolTable,
  newId: () => string,
  begun: Iterable<string> = [],
): (asked: readonly AnyCall[]) => readonly NamedCall[] {
  const used = new Set(begun)
  const claim = (id: string | undefined): string | undefined => {
    if (id === undefined || used.has(id)) return undefined
    used.add(id)
    return id
  }
  const unused = (): string => {
    for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
      const id = claim(newId())
      if (id !== undefined) return id
    }
    throw new Error('the source of ids gives the same ids again and again')
  }
  return (asked) => {
    const calls = Array.from(asked, readCall)
    // The calls' own ids first, so that none of ours is one of a later call.
    const own = calls.map(({ toolCallId }) => claim(toolCallId))
    return calls.map((call, index) => {
      const toolCallId = own[index] ?? unused()
      return {
        call: toolCallId === call.toolCallId ? call : { ...call, toolCallId },
        chatId: call.toolCallId ?? toolCallId,
        toolName: table.find(call.tool)?.tool.spec.toolName ?? call.tool,
      }
    })
  }
}

const UNANSWERED = 'The run ended before this call was answered.'

/** A call of a step with the id that it has in the conversation and the name that models know. */
export interface NamedCall {
  readonly call: ToolCall<unknown, MetaField>
  readonly chatId: string
  readonly toolName: string
}

/** The assistant's message that asks for calls. */
export function callsMessage(calls: readonly NamedCall[], text: string | undefined): ChatMessage {
  const toolCalls = calls.map(
    ({ call, chatId, toolName }): ChatToolCall => ({
      id: chatId,
      type: 'function',
      function: { name: toolName, arguments: call.arguments },
    }),
  )
  return { role: 'assistant', content: text ?? null, tool_calls: toolCalls }
}

/** The answers to calls, in call order; a call that waits has none yet. */
export function answerMessages(calls: readonly NamedCall[], outcomes: readonly ToolOutcome[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  calls.forEach(({ chatId }, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined || outcome.status === 'suspended') return
    messages.push({ role: 'tool', tool_call_id: chatId, content: renderForModel(outcome) })
  })
  return messages
}

/** Outcomes of a run that nobody will resume: calls that still wait end as cancelled. */
export function withoutWaiting(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  if (outcomes.every(({ status }) => status !== 'suspended')) return outcomes
  return Object.freeze(outcomes.map((outcome) => (outcome.status === 'suspended' ? cancelled(outcome) : outcome)))
}

function cancelled({
  call,
  provenance,
  suspension,
  stop,
}: Extract<ToolOutcome, { readonly status: 'suspended' }>): ToolOutcome {
  const { durationMs, attempts, children } = provenance
  const failed = {
    call,
    rejected: suspension.arguments,
    durationMs,
    attempts,
    ...(children !== undefined && { children }),
  }
  const outcome = failedOutcome({ reason: 'cancelled', message: UNANSWERED }, failed)
  return stop === undefined ? outcome : Object.freeze({ ...outcome, stop })
}

/**
 * A conversation in which the last calls of a run have one answer each: those without one end with the run.
 *
 * @param runStart number of messages that the run started with; calls in these stay as they are
 */
export function withAllAnswers(messages: readonly ChatMessage[], runStart: number): readonly ChatMessage[] {
  const index = messages.findLastIndex((message) => callIds(message).length > 0)
  const asking = messages[index]
  if (asking === undefined || index < runStart) return messages
  const ids = callIds(asking)
  let end = index + 1
  while (messages[end]?.role === 'tool') end += 1
  const answers = new Map(
    messages
      .slice(index + 1, end)
      .flatMap((message) => (message.role === 'tool' ? [[message.tool_call_id, message] as const] : [])),
  )
  if (ids.every((id) => answers.has(id))) return messages
  const all = ids.map((id): ChatMessage => answers.get(id) ?? { role: 'tool', tool_call_id: id, content: UNANSWERED })
  const others = [...answers].flatMap(([id, message]) => (ids.includes(id) ? [] : [message]))
  return Object.freeze([...messages.slice(0, index + 1), ...all, ...others, ...messages.slice(end)])
}

function callIds(message: ChatMessage): readonly string[] {
  return messageCalls(message).makes.flatMap(({ callId, isLegacy }) => (isLegacy ? [] : [callId]))
}

/** The calls of a run that have no outcome yet. A layer may end a run while they go on. */
export class RunCalls {
  readonly #signal: Pick<RunSignal, 'abort'>
  #open = 0
  #ended = false
  #whenEmpty: (() => void) | undefined = undefined

  constructor(signal: Pick<RunSignal, 'abort'>) {
    this.#signal = signal
  }

  /** A call begins. */
  begin(): void {
    this.#open += 1
  }

  /** A call has its outcome. */
  end(): void {
    this.#open -= 1
    if (this.#open === 0) this.#whenEmpty?.()
  }

  /** @throws {TypeError} when the run has ended: a layer called next too late. */
  requireOpen(): void {
    if (this.#ended) throw new TypeError('a layer called next after its run had ended')
  }

  /** The run ends: calls that go on are cancelled and waited for. */
  async close(): Promise<void> {
    this.#ended = true
    if (this.#open === 0) return
    this.#signal.abort(new DOMException('the run has ended', 'AbortError'))
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve
    })
  }
}
