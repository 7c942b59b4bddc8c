import { nearestNames } from '../../codec/issues/nearest.js'
import { isFields } from '../../codec/json/kind.js'
import type { RunPolicy } from '../../contract/run-policy.js'
import type { StopCondition } from '../../contract/stop-condition.js'
import { finishGuard } from './finish-guard.js'
import { repetitionGuard } from './repetition-guard.js'

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
