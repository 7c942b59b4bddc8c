import { payloadCodec } from '../codec/codecs.js'
import { equalityKey, isFields } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import type { ChatMessage, ChatToolCall } from '../types/chat.js'
import type { Codec } from '../types/codec.js'
import type { RunPolicy, StopCondition } from '../types/run.js'

/** Limits of an agent's runs, in addition to the policy. Omitted limits do not apply. */
export interface Guards {
  /** Maximum number of steps of a run. Same as `maxTurns` of a policy. */
  readonly maxSteps?: number
  /** Maximum number of prompt and completion tokens of a run. Same as `maxTokens` of a policy. */
  readonly maxTokens?: number
  /** Maximum cost of a run. Same as `maxCost` of a policy. */
  readonly maxCost?: number
  /** Maximum duration of a run in milliseconds. Same as `timeBudgetMs` of a policy. */
  readonly timeoutMs?: number
  /**
   * Finish reasons of a model that end the run, for example `length`. The response with this finish reason becomes the last message of the run.
   * Default: none.
   */
  readonly finishReasons?: readonly string[]
  /** Number of consecutive steps with identical tool calls after which the run ends. Must be at least 2. Default: no limit. */
  readonly repetition?: number
}

function limitProblem(value: unknown): string | undefined {
  return typeof value === 'number' && value >= 0 ? undefined : `is ${String(value)}. Expected a number of at least 0.`
}

const GUARDS: Readonly<Record<keyof Guards, (value: unknown) => string | undefined>> = {
  maxSteps: limitProblem,
  maxTokens: limitProblem,
  maxCost: limitProblem,
  timeoutMs: limitProblem,
  finishReasons: (value) => {
    const isValid = Array.isArray(value) && value.every((reason) => typeof reason === 'string')
    return isValid ? undefined : "must be an array of strings, for example ['length']."
  },
  repetition: (value) => {
    const isValid = Number.isInteger(value) && Number(value) >= 2
    return isValid ? undefined : `is ${String(value)}. Expected an integer of at least 2.`
  },
}

const GUARD_OF_POLICY: ReadonlyMap<string, string> = new Map([
  ['maxTurns', 'maxSteps'],
  ['timeBudgetMs', 'timeoutMs'],
])

export function requireGuards(guards: Guards): Guards {
  const options: unknown = guards
  if (!isFields(options)) throw new TypeError('useGuards expects an object with guards, for example { maxSteps: 10 }.')
  const names = Object.keys(GUARDS)
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const nearest = GUARD_OF_POLICY.get(name) ?? nearestNames(name, names, 1)[0]
    const hint = nearest === undefined ? '' : ` Did you mean '${nearest}'?`
    throw new TypeError(`useGuards: unknown guard '${name}'.${hint} Expected ${names.join(', ')}.`)
  }
  for (const [name, problemOf] of Object.entries(GUARDS)) {
    const problem = options[name] === undefined ? undefined : problemOf(options[name])
    if (problem !== undefined) throw new TypeError(`useGuards: ${name} ${problem}`)
  }
  const { finishReasons } = guards
  return Object.freeze({ ...guards, ...(finishReasons && { finishReasons: Object.freeze([...finishReasons]) }) })
}

export function guardPolicy({ maxSteps, maxTokens, maxCost, timeoutMs }: Guards): RunPolicy {
  return {
    ...(maxSteps !== undefined && { maxTurns: maxSteps }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxCost !== undefined && { maxCost }),
    ...(timeoutMs !== undefined && { timeBudgetMs: timeoutMs }),
  }
}

/** Returns conditions only for guards that have no equivalent in a policy. */
export function guardConditions(guards: readonly Guards[]): readonly StopCondition[] {
  const finishReasons = new Set(guards.flatMap((each) => each.finishReasons ?? []))
  const times = Math.min(...guards.flatMap((each) => each.repetition ?? []))
  const conditions: StopCondition[] = []
  if (finishReasons.size > 0) {
    conditions.push(({ finishReason }) =>
      finishReason !== undefined && finishReasons.has(finishReason)
        ? { reason: 'finish_reason', finishReason }
        : undefined,
    )
  }
  if (Number.isFinite(times)) {
    conditions.push(({ messages, runStart, earlierMessages = [] }) => {
      const last = [...lastCalls(messages, runStart, times)]
      last.push(...lastCalls(earlierMessages, 0, times - last.length))
      const isRepeated = last.length === times && last.every((calls) => calls === last[0])
      return isRepeated ? { reason: 'repetition', times } : undefined
    })
  }
  return Object.freeze(conditions)
}

function lastCalls(messages: readonly ChatMessage[], start: number, count: number): readonly string[] {
  const last: string[] = []
  for (let index = messages.length - 1; index >= start && last.length < count; index -= 1) {
    const message = messages[index]
    const calls = message?.role === 'assistant' ? (message.tool_calls ?? []) : []
    if (calls.length > 0) last.push(JSON.stringify(calls.map(callKey).sort()))
  }
  return last
}

const anyJson: Codec<never, unknown> = payloadCodec({ schema: {}, unknown: 'keep' })

function callKey(call: ChatToolCall): string {
  if (call.type === 'custom') return JSON.stringify([call.custom.name, call.custom.input])
  const { name, arguments: json } = call.function
  const decoded = anyJson.decode(json)
  return JSON.stringify([name, decoded.ok ? equalityKey(decoded.value) : json])
}
