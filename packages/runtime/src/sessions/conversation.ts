import type { RunConversation } from '../call/call-target.js'
import { FIXED_MESSAGES, ToolFailure } from '../call/tool-failure.js'
import { validateHistory } from '../chat/history.js'
import { messageCalls, withAllAnswers } from '../chat/message-calls.js'
import { shapeIssues } from '../chat/messages.js'
import type { ChatMessage } from '../types/chat.js'
import type { JsonText } from '../types/json.js'
import type { RunSuspension } from '../types/outcome.js'
import type { AgentRun } from '../types/run.js'
import type { StoredMessage } from '../types/session.js'
import { type ConversationLimits, type KeptMessage, keptMessage, keptWithin } from './kept-messages.js'
import { isSessionError, SessionError } from './stores.js'

/**
 * Limits for the stored messages of each session. If the messages exceed a limit, the session removes the oldest turns and shortens long messages. A
 * call and its response are removed together. In the stored messages, a short text replaces each `data:` URL and other base64 content. Web addresses
 * of images stay unchanged.
 */
export interface ConversationOptions {
  /** Maximum number of messages, at least 2. Default: 200. */
  readonly maxMessages?: number
  /** Maximum size of all messages as JSON, in bytes, at least 1,000. Each UTF-16 code unit is counted as one byte. Default: 400,000. */
  readonly maxBytes?: number
  /** Maximum number of tokens of all messages, as estimated by the session. At least 250. Default: no limit. */
  readonly maxTokens?: number
}

export function conversationLimits(
  owner: string,
  option: true | ConversationOptions | undefined,
): ConversationLimits | undefined {
  if (option === undefined) return undefined
  if (option !== true && (typeof option !== 'object' || option === null)) {
    throw new TypeError(`${owner}: conversation must be \`true\` or an object, such as { maxMessages: 200 }.`)
  }
  const { maxMessages = 200, maxBytes = 400_000, maxTokens = Number.MAX_SAFE_INTEGER } = option === true ? {} : option
  const least = { maxMessages: 2, maxBytes: 1_000, maxTokens: 250 }
  const limits = { maxMessages, maxBytes, maxTokens }
  for (const name of ['maxMessages', 'maxBytes', 'maxTokens'] as const) {
    if (Number.isInteger(limits[name]) && limits[name] >= least[name]) continue
    throw new RangeError(
      `${owner}: conversation.${name} is ${String(limits[name])}. Expected an integer of at least ${least[name]}.`,
    )
  }
  return limits
}

interface MessageRecord {
  readonly stored: StoredMessage
  readonly kept: KeptMessage
}

const UNLIMITED: ConversationLimits = {
  maxMessages: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxTokens: Number.POSITIVE_INFINITY,
}

/** Messages of the runs of one session. The conversation is always valid: every call has a response. */
export class Conversation {
  readonly #limits: ConversationLimits
  readonly #nextSequence: () => number
  #records: readonly MessageRecord[]
  #stored: readonly StoredMessage[]
  #visible: readonly ChatMessage[]

  constructor(
    stored: readonly StoredMessage[],
    limits: ConversationLimits | undefined,
    { sessionId, nextSequence }: { readonly sessionId: string; readonly nextSequence: () => number },
  ) {
    this.#limits = limits ?? UNLIMITED
    this.#nextSequence = nextSequence
    const records = stored.map((each, index) => {
      const kept = readMessage(each.message)
      if (kept !== undefined) return { stored: each, kept }
      throw new SessionError(
        'corrupt_state',
        `The stored session '${sessionId}' is invalid at messages/${index}. It was not changed. Repair or delete it, then open the session again.`,
      )
    })
    this.#records = records
    this.#stored = stored
    this.#visible = messagesOf(records)
  }

  /** Messages in the format of session stores. The array is the same object until the messages change. */
  get stored(): readonly StoredMessage[] {
    return this.#stored
  }

  /** Messages of the completed steps. Does not contain the messages of a step in progress. */
  get messages(): readonly ChatMessage[] {
    return this.#visible
  }

  /**
   * Replaces all stored messages. Unchanged messages keep their sequence numbers, so that the store does not write them again.
   *
   * @param isFinal false if the last calls have no responses yet. In this case, {@link Conversation.messages} still returns the previous messages
   */
  replace(messages: readonly ChatMessage[], isFinal: boolean): void {
    const existing = new Map<JsonText, MessageRecord[]>()
    for (const record of this.#records) {
      const same = existing.get(record.kept.json)
      if (same === undefined) existing.set(record.kept.json, [record])
      else same.push(record)
    }
    let last = 0
    const records = keptWithin(messages, this.#limits).map((kept): MessageRecord => {
      const same = existing.get(kept.json)
      while (same?.[0] !== undefined && same[0].stored.sequence <= last) same.shift()
      const sequence = same?.[0]?.stored.sequence ?? this.#nextSequence()
      last = sequence
      return same?.shift() ?? { kept, stored: Object.freeze({ sequence, message: kept.json }) }
    })
    this.#set(records)
    if (isFinal) this.#visible = messagesOf(records)
  }

  clear(): () => void {
    const records = this.#records
    this.#set([])
    this.#visible = []
    return () => {
      this.#set(records)
      this.#visible = messagesOf(records)
    }
  }

  #set(records: readonly MessageRecord[]): void {
    const isSame =
      records.length === this.#records.length && records.every((record, index) => record === this.#records[index])
    if (isSame) return
    this.#records = records
    this.#stored = Object.freeze(records.map(({ stored }) => stored))
  }
}

function messagesOf(records: readonly MessageRecord[]): readonly ChatMessage[] {
  return Object.freeze(records.map(({ kept }) => kept.message))
}

function readMessage(json: JsonText): KeptMessage | undefined {
  try {
    const message: ChatMessage = JSON.parse(json)
    return shapeIssues(message).length === 0 ? keptMessage(message) : undefined
  } catch {
    return undefined
  }
}

export interface MessageJournal {
  readonly conversation: Conversation
  /** Resolves when the messages are stored. Rejects if the store fails. After a failure, the journal repeats the write in the background. */
  storeMessages(): Promise<void>
}

const INTERRUPTED = FIXED_MESSAGES.interrupted

const WAITING = 'The call waits for an answer. Its result will follow.'

export class ConversationRun implements RunConversation {
  readonly #journal: MessageJournal
  readonly #onEnd: () => void
  #suspension: RunSuspension | undefined
  #before: readonly ChatMessage[] | undefined
  #openStep: readonly ChatMessage[] | undefined
  #answers: ChatMessage[] = []

  constructor(journal: MessageJournal, onEnd: () => void) {
    this.#journal = journal
    this.#onEnd = onEnd
  }

  start(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    requireNewMessages(messages)
    this.#before = this.#journal.conversation.messages
    return continued(this.#before, messages)
  }

  resume(suspension: RunSuspension): void {
    this.#before = this.#journal.conversation.messages
    this.#suspension = suspension
  }

  async beforeCalls(messages: readonly ChatMessage[]): Promise<void> {
    this.#openStep = messages
    this.#answers = []
    // If the process ends before the step, the stored conversation has these answers.
    await this.#store(withAllAnswers(messages, INTERRUPTED), false)
  }

  answered(answer: ChatMessage): void {
    this.#answers.push(answer)
  }

  async afterStep(messages: readonly ChatMessage[]): Promise<void> {
    this.#openStep = undefined
    // If the store fails, the next calls or the end of the run try again.
    await this.#store(messages, true).catch(() => undefined)
  }

  /** Sets the messages of the run. Does not write to the store, because the next write of the journal includes these messages. */
  deliver(messages: readonly ChatMessage[]): void {
    // After the end of the run, the conversation may belong to another run.
    if (this.#before !== undefined) this.#replace(messages, true)
  }

  async end({ status, messages }: Pick<AgentRun, 'status' | 'messages'>): Promise<void> {
    try {
      if (this.#before === undefined) return
      await this.#store(status === 'suspended' ? withAllAnswers(messages, WAITING) : this.#withOpenStep(messages), true)
    } catch (error) {
      // If the store fails, the journal tries again in the background.
      if (!isSessionError(error) || error.code !== 'store_failed') throw error
    } finally {
      this.#before = undefined
      this.#onEnd()
    }
  }

  #withOpenStep(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    // Keeps the calls of an unfinished step, because these calls may have had side effects.
    const step = this.#openStep
    if (step === undefined || step.every((message) => messages.includes(message))) return messages
    return withAllAnswers([...step, ...this.#answers], INTERRUPTED)
  }

  #store(messages: readonly ChatMessage[], isFinal: boolean): Promise<void> {
    this.#replace(messages, isFinal)
    return this.#journal.storeMessages()
  }

  #replace(messages: readonly ChatMessage[], isFinal: boolean): void {
    const suspension = this.#suspension
    const all = suspension === undefined ? withoutInstructions(messages) : this.#afterResume(messages, suspension)
    this.#journal.conversation.replace(all, isFinal)
  }

  #afterResume(messages: readonly ChatMessage[], suspension: RunSuspension): readonly ChatMessage[] {
    // Other runs may have changed the conversation since the suspension.
    const before = this.#before ?? []
    const { calls, messages: earlier } = suspension
    if (calls.length === 0) return [...before, ...messages.slice(earlier.length)]
    const index = earlier.findLastIndex((message) => messageCalls(message).calls.length > 0)
    const asking = earlier[index]
    if (asking === undefined) return before
    const { json } = keptMessage(asking)
    const isAsking = (message: ChatMessage): boolean => keptMessage(message).json === json
    const inRun = isAsking(messages[index] ?? asking) ? index : messages.findLastIndex(isAsking)
    const inSession = before.findLastIndex(isAsking)
    const end = endOfAnswers(messages, inRun)
    if (inSession < 0) return [...before, ...messages.slice(end)]
    return [
      ...before.slice(0, inSession),
      ...withAllAnswers(messages.slice(inRun, end), INTERRUPTED),
      ...before.slice(endOfAnswers(before, inSession)),
      ...messages.slice(end),
    ]
  }
}

function endOfAnswers(messages: readonly ChatMessage[], index: number): number {
  let end = index + 1
  while (messages[end] !== undefined && messageCalls(messages[end]).isAnswer) end += 1
  return end
}

export function requireNewMessages(messages: readonly ChatMessage[]): void {
  const input = withoutInstructions(messages)
  const [issue] = validateHistory(input)
  if (issue !== undefined) {
    const index = 'index' in issue ? ` ${issue.index}` : 's'
    throw new ToolFailure(
      `The conversation of a session accepts only valid messages. Message${index} of the input: ${issue.message} Pass only the new messages; the session adds the earlier ones.`,
      { reason: 'internal', action: 'finish' },
    )
  }
  for (const message of input) keptMessage(message)
}

export function continued(before: readonly ChatMessage[], messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const input = withoutInstructions(messages)
  return Object.freeze([...messages.slice(0, messages.length - input.length), ...before, ...input])
}

export function withoutInstructions(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const start = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  return start < 0 ? [] : messages.slice(start)
}
