import { payloadCodec } from '../codec/codecs.js'
import { equalityKey, isFields } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import type { ChatMessage, ChatToolCall } from '../types/chat.js'
import type { Codec } from '../types/codec.js'
import type { RunPolicy, StopCondition } from '../types/run.js'

/** What ends the runs of an agent before they go wrong. Every field may be left out. */
export interface Guards {
  /** Steps of a run: `maxTurns` of its policy. */
  readonly maxSteps?: number
  /** Tokens of a run, of prompts and answers together. */
  readonly maxTokens?: number
  /** How long a run may take, in milliseconds: `timeBudgetMs` of its policy. */
  readonly timeoutMs?: number
  /** The reasons of a model to stop that end the run, e.g. `length`; its answer is then the run's last words. */
  readonly finishReasons?: readonly string[]
  /** So many steps in a row that ask for the same calls end the run; from 2 on. */
  readonly repetition?: number
}

const GUARDS: readonly string[] = Object.keys({
  maxSteps: true,
  maxTokens: true,
  timeoutMs: true,
  finishReasons: true,
  repetition: true,
} satisfies Record<keyof Guards, true>)

/** @throws {TypeError} naming the guard that is none. */
export function requireGuards(guards: Guards): Guards {
  const given: unknown = guards
  if (!isFields(given)) throw new TypeError('useGuards: these are no guards, give e.g. { maxSteps: 10 }')
  for (const name of Object.keys(given)) if (!GUARDS.includes(name)) throw new TypeError(unknownText(name))
  const { finishReasons, repetition } = guards
  for (const name of ['maxSteps', 'maxTokens', 'timeoutMs'] as const) {
    const most: unknown = guards[name]
    if (most === undefined || (typeof most === 'number' && most >= 0)) continue
    throw new TypeError(`useGuards: ${name} is ${String(most)}, give a number from 0 on`)
  }
  if (finishReasons !== undefined && !isTexts(finishReasons)) {
    throw new TypeError("useGuards: finishReasons is no list of texts, give e.g. ['length']")
  }
  if (repetition !== undefined && !(Number.isInteger(repetition) && repetition >= 2)) {
    throw new TypeError(`useGuards: repetition is ${String(repetition)}, give a whole number from 2 on`)
  }
  return Object.freeze({ ...guards, ...(finishReasons && { finishReasons: Object.freeze([...finishReasons]) }) })
}

/** The limits of guards as a policy. */
export function guardPolicy({ maxSteps, maxTokens, timeoutMs }: Guards): RunPolicy {
  return {
    ...(maxSteps !== undefined && { maxTurns: maxSteps }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(timeoutMs !== undefined && { timeBudgetMs: timeoutMs }),
  }
}

/** What of guards is no limit of a policy, as conditions, the most severe first. Of several the strictest holds. */
export function guardConditions(guards: readonly Guards[]): readonly StopCondition[] {
  const finishReasons = new Set(guards.flatMap((each) => each.finishReasons ?? []))
  const repetitions = guards.flatMap((each) => each.repetition ?? [])
  return Object.freeze([
    ...(finishReasons.size === 0 ? [] : [finishGuard(finishReasons)]),
    ...(repetitions.length === 0 ? [] : [repetitionGuard(Math.min(...repetitions))]),
  ])
}

/** What the limits of a policy are called among guards. */
const OF_POLICY: ReadonlyMap<string, string> = new Map([
  ['maxTurns', 'maxSteps'],
  ['timeBudgetMs', 'timeoutMs'],
])

function unknownText(name: string): string {
  const nearest = OF_POLICY.get(name) ?? nearestNames(name, GUARDS, 1)[0]
  const meant = nearest === undefined ? '' : ` (${nearest}?)`
  return `useGuards: there is no guard '${name}'${meant}: give ${GUARDS.join(', ')}`
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** Ends a run whose model stopped for one of these reasons. */
function finishGuard(finishReasons: ReadonlySet<string>): StopCondition {
  return ({ finishReason }) =>
    finishReason !== undefined && finishReasons.has(finishReason)
      ? { reason: 'finish_reason', finishReason }
      : undefined
}

/** Reads any JSON that is not nested beyond measure. */
const anyJson: Codec<never, unknown> = payloadCodec({ schema: {}, unknown: 'keep' })

/**
 * Ends a run that asked for the same calls in so many steps in a row: the same tools with arguments that are the same JSON,
 * in any order.
 */
function repetitionGuard(times: number): StopCondition {
  return ({ messages, runStart, earlierMessages = [] }) => {
    const ofPass = lastCalls(messages, runStart, times)
    const last = [...ofPass, ...lastCalls(earlierMessages, 0, times - ofPass.length)]
    const isRepeated = last.length === times && last.every((asked) => asked === last[0])
    return isRepeated ? { reason: 'repetition', times } : undefined
  }
}

/** Keys of the last messages that ask for calls, the last one first. */
function lastCalls(messages: readonly ChatMessage[], start: number, count: number): readonly string[] {
  const last: string[] = []
  for (let index = messages.length - 1; index >= start && last.length < count; index -= 1) {
    const asked = callsKey(messages[index])
    if (asked !== undefined) last.push(asked)
  }
  return last
}

/** A text that two messages share which ask for the same calls; `undefined` for one that asks for none. */
function callsKey(message: ChatMessage | undefined): string | undefined {
  const calls = message?.role === 'assistant' ? (message.tool_calls ?? []) : []
  return calls.length === 0 ? undefined : JSON.stringify(calls.map(callKey).sort())
}

function callKey(call: ChatToolCall): string {
  if (call.type === 'custom') return JSON.stringify([call.custom.name, call.custom.input])
  const { name, arguments: json } = call.function
  const decoded = anyJson.decode(json)
  return JSON.stringify([name, decoded.ok ? equalityKey(decoded.value) : json])
}
