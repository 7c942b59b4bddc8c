import type { Decision } from '../contract/planner.js'

/**
 * A decision as the loop can trust it.
 *
 * @throws {TypeError} saying what a planner may decide, when it is none.
 */
export function givenDecision(decision: unknown): Decision {
  if (isDecision(decision)) return decision
  throw new TypeError('the planner decided nothing: return callTools(...), answer(...) or ask(...)')
}

function isDecision(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  switch (value.kind) {
    case 'calls':
      return 'calls' in value && Array.isArray(value.calls) && value.calls.length > 0
    case 'answer':
      return ('text' in value && typeof value.text === 'string') || ('value' in value && value.value !== undefined)
    case 'question':
      return 'question' in value && typeof value.question === 'string'
    default:
      return false
  }
}
