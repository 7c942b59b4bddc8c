import { CallLedger } from './call-ledger.js'
import type { ChatViolation } from './chat-violation.js'
import { type MessageCalls, messageCalls } from './message-calls.js'
import { shapeFaults } from './message-shape.js'
import { MAX_FAULTS } from './shape-rule.js'

/** What a validator is told beside the messages. */
export interface HistoryOptions {
  /** The ids of calls that wait for an answer, as those of a suspended run; they may be open. None by default. */
  readonly pending?: readonly string[]
}

/**
 * What is wrong with a conversation, in the order of the messages; nothing where a model accepts it as a history. It
 * takes any value and never throws. At most 1,000 violations are listed, then one of kind `more_violations`.
 *
 * Ids may repeat in different turns: an answer belongs to the latest open call of its id.
 *
 * @example
 * for (const { kind, message } of validateHistory(run.messages)) console.error(kind, message)
 */
export function validateHistory(messages: unknown, { pending = [] }: HistoryOptions = {}): readonly ChatViolation[] {
  const violations: ChatViolation[] = []
  try {
    if (Array.isArray(messages)) addViolations(messages, pending, violations)
    else violations.push({ kind: 'not_a_list', message: 'The messages must be a list.' })
  } catch {
    violations.push({ kind: 'not_a_list', message: 'The list of messages cannot be read: it throws.' })
  }
  return inOrder(violations)
}

function addViolations(messages: readonly unknown[], pending: readonly string[], violations: ChatViolation[]): void {
  const ledger = new CallLedger((violation) => violations.push(violation))
  let index = 0
  for (; index < messages.length && violations.length <= MAX_FAULTS; index++) {
    const message: unknown = messages[index]
    const faults = shapeFaults(message)
    for (const fault of faults) violations.push({ ...fault, index })
    if (violations.length > MAX_FAULTS) break
    const calls = readable(message)
    if (calls === undefined) {
      const isTold = faults.some(({ kind }) => kind === 'unreadable')
      if (!isTold) violations.push({ kind: 'unreadable', index, path: '', message: 'The message cannot be read.' })
      continue
    }
    for (const violation of ownViolations(calls)) violations.push({ ...violation, index })
    ledger.add(index, calls)
  }
  // What is open in the middle of a list says nothing.
  if (index >= messages.length) ledger.close(pending)
}

function readable(message: unknown): MessageCalls | undefined {
  try {
    return messageCalls(message)
  } catch {
    return undefined
  }
}

type OwnViolation = {
  readonly kind: 'missing_call_id' | 'empty_tool_calls' | 'empty_message'
  readonly path: string
  readonly message: string
}

function ownViolations({ makes, answers, hasEmptyList, isEmpty }: MessageCalls): readonly OwnViolation[] {
  const places = answers === undefined ? makes : [...makes, answers]
  const found = places
    .filter(({ callId }) => callId === '')
    .map(({ path }): OwnViolation => ({ kind: 'missing_call_id', path, message: `${path} is empty.` }))
  if (hasEmptyList) {
    const message = 'A list of calls must have a call; leave it out where there is none.'
    found.push({ kind: 'empty_tool_calls', path: '/tool_calls', message })
  }
  if (isEmpty) {
    const message = "An assistant's message must have content, a refusal, audio or calls."
    found.push({ kind: 'empty_message', path: '', message })
  }
  return found
}

function inOrder(violations: readonly ChatViolation[]): readonly ChatViolation[] {
  const sorted = [...violations].sort((a, b) => indexOf(a) - indexOf(b))
  if (sorted.length <= MAX_FAULTS) return sorted
  const message = `There are more than ${MAX_FAULTS} violations; the others are not listed.`
  return [...sorted.slice(0, MAX_FAULTS), { kind: 'more_violations', message }]
}

/** What is said of no message goes last. */
const indexOf = (violation: ChatViolation): number => ('index' in violation ? violation.index : Number.MAX_SAFE_INTEGER)
