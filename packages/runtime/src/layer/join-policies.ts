import type { RunPolicy } from '../contract/run-policy.js'

const LIMITS = [
  'maxToolCalls',
  'maxTurns',
  'maxConsecutiveFailures',
  'maxTokens',
  'timeBudgetMs',
  'toolTimeoutMs',
  'parallelism',
  'maxDepth',
] as const

/**
 * The policies of the design, the binding and the run as one: of numbers the strictest counts, of modes the last.
 *
 * @throws {TypeError} naming the limit that is no number from 0 on (`parallelism`: from 1 on), or the unknown mode.
 */
export function joinPolicies(...policies: readonly (RunPolicy | undefined)[]): RunPolicy {
  const given = policies.filter((policy) => policy !== undefined && policy !== null)
  for (const policy of given) requirePolicy(policy)
  const limits = LIMITS.flatMap((name) => {
    const values = given.map((policy) => policy[name]).filter((value) => value !== undefined)
    return values.length === 0 ? [] : [[name, Math.min(...values)] as const]
  })
  const onMissingFields = given.flatMap((policy) => policy.onMissingFields ?? []).at(-1)
  const onFailure = given.flatMap((policy) => policy.onFailure ?? []).at(-1)
  return Object.freeze({
    ...Object.fromEntries(limits),
    ...(onMissingFields !== undefined && { onMissingFields }),
    ...(onFailure !== undefined && { onFailure }),
  })
}

function requirePolicy(policy: RunPolicy): void {
  for (const name of LIMITS) {
    const value: unknown = policy[name]
    const least = name === 'parallelism' ? 1 : 0
    if (value !== undefined && (typeof value !== 'number' || !(value >= least))) {
      throw new TypeError(`policy.${name} is ${String(value)}: give a number from ${least} on`)
    }
  }
  requireMode('onMissingFields', policy.onMissingFields, ['resume', 'finalize', 'await_clarification'])
  requireMode('onFailure', policy.onFailure, ['join_all', 'fail_fast'])
}

function requireMode(name: string, mode: unknown, modes: readonly string[]): void {
  if (mode === undefined || modes.some((known) => known === mode)) return
  throw new TypeError(`policy.${name} is '${String(mode)}': give ${modes.map((known) => `'${known}'`).join(', ')}`)
}
