import type { Decision } from '../contract/planner.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'

/**
 * A decision as the loop can trust it.
 *
 * @throws {ToolFailure} saying what a planner may decide, when it is none.
 */
export function givenDecision(decision: unknown): Decision {
  if (isDecision(decision)) return decision
  throw new ToolFailure('The planner decided nothing: return callTools(...) with a call, answer(...) or ask(...).', {
    reason: 'internal',
    action: 'finish',
  })
}

function isDecision(value: unknown): value is Decision {
  try {
    return isReadable(value)
  } catch {
    // What cannot be read decides nothing.
    return false
  }
}

function isReadable(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  switch (value.kind) {
    case 'calls':
      return 'calls' in value && Array.isArray(value.calls) && value.calls.length > 0
    case 'answer':
      return (
        ('text' in value && typeof value.text === 'string') ||
        ('value' in value && JSON.stringify(value.value) !== undefined)
      )
    case 'question':
      return 'question' in value && typeof value.question === 'string'
    case 'correction':
      return 'correction' in value && typeof value.correction === 'string'
    default:
      return false
  }
}
