import type { AgentRun } from '../contract/agent-run.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { StepResult } from '../contract/step.js'

// What hooks are told is copied and frozen as deep as it belongs to the run, so that only what a hook returns changes
// anything. The declared value of a result is its tool's own, and the messages are those of the conversation.

const copies = new WeakMap<ToolOutcome, ToolOutcome>()

export function toldOutcome(outcome: ToolOutcome): ToolOutcome {
  const known = copies.get(outcome)
  if (known !== undefined) return known
  const copy = frozenCopy(outcome, 2)
  copies.set(outcome, copy)
  return copy
}

export function toldOutcomes(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  return Object.freeze(outcomes.map(toldOutcome))
}

export function toldStep(result: StepResult): StepResult {
  return Object.freeze({ ...frozenCopy(result, 2), outcomes: toldOutcomes(result.outcomes) })
}

export function toldRun(run: AgentRun): AgentRun {
  return Object.freeze({ ...frozenCopy(run, 2), outcomes: toldOutcomes(run.outcomes) })
}

/** A copy of what is a list or a plain object, with what is in it down to a depth; of anything else the value itself. */
export function frozenCopy<Value>(value: Value, depth: number): Value {
  return copied(value, depth)
}

// `any`: a copy has the type of what it is a copy of.
function copied(value: any, depth: number): any {
  if (depth === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copied(item, depth - 1)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const fields = Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, field]) => {
    // What is not enumerable stays so: the cause of an error.
    const isOwn = 'value' in field && field.enumerable === true
    return [name, isOwn ? { ...field, value: copied(field.value, depth - 1) } : field] as const
  })
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(fields)))
}
