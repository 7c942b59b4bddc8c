import { ToolFailure } from '../call/tool-failure.js'
import type { ToolCall } from '../types/call.js'
import type { JsonValue } from '../types/json.js'
import type { ClarificationField, ToolOutcome } from '../types/outcome.js'
import type { Decision, Planner } from '../types/planner.js'
import type { MetaField } from '../types/tool.js'

/**
 * The decision to call tools, at least one. They run at once; their results keep this order.
 *
 * @example
 * return callTools(newGetOrderCall({ orderId: 'A-1001' }), newStockLevelCall({ sku: 'LAMP-1' }))
 */
export function callTools(...calls: readonly ToolCall<unknown, MetaField>[]): Decision {
  return { kind: 'calls', calls }
}

/**
 * The decision to end the run with an answer: text, or a value.
 *
 * @example
 * return answer(`Order ${order.id} is ${order.status}.`)
 */
export function answer(value: JsonValue): Decision {
  return typeof value === 'string' ? { kind: 'answer', text: value } : { kind: 'answer', value }
}

/**
 * The decision to ask the user. The run is suspended until somebody answers.
 *
 * @example
 * return ask('Which of your orders do you mean?')
 */
export function ask(question: string): Decision {
  return { kind: 'question', question }
}

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

/** What a user is asked when calls lack required fields. */
interface Clarification {
  readonly question: string
  readonly fields: readonly ClarificationField[]
}

/** The question over all fields that these calls lacked; `undefined` where none did. */
export function clarificationOf(outcomes: readonly ToolOutcome[]): Clarification | undefined {
  const fields = outcomes.flatMap((outcome): readonly ClarificationField[] => {
    if (outcome.status !== 'failed' || outcome.hint.reason !== 'missing_fields') return []
    const { tool, missing } = outcome.hint
    return missing.map((field) => ({ ...field, tool }))
  })
  const asked = [...new Map(fields.map((field) => [`${field.tool} ${field.path}`, field])).values()]
  return asked.length === 0 ? undefined : { question: questionOf(asked), fields: asked }
}

function questionOf(fields: readonly ClarificationField[]): string {
  const names = [...new Set(fields.map(nameOf))]
  if (names.length === 1) return `Please give: ${names[0]}.`
  return `Please give:\n${names.map((name) => `- ${name}`).join('\n')}`
}

/** What a user understands: the description of the field, else its name. */
function nameOf({ path, description }: ClarificationField): string {
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  return description === undefined ? name : `${description} (${name})`
}

/** The planner of an agent that was registered without one: each run fails and says so. */
export const noPlanner: Planner = () => {
  throw new ToolFailure(
    'This agent has no planner: give one where it is registered, { planner, toolsets } or { agent, toolsets }.',
    {
      reason: 'internal',
      action: 'finish',
    },
  )
}
