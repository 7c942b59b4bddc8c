import { ToolFailure } from '../call/tool-failure.js'
import { parsePointer } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'
import type { JsonValue } from '../types/json.js'
import type { ClarificationField, ToolOutcome } from '../types/outcome.js'
import type { Decision, Planner } from '../types/planner.js'
import type { MetaField, ToolCall } from '../types/tool.js'

/**
 * Returns the decision to call one or more tools. The calls run in parallel. The results have the same order as the calls.
 *
 * @example
 * return callTools(newGetOrderCall({ orderId: 'A-1001' }), newStockLevelCall({ sku: 'LAMP-1' }))
 */
export function callTools(...calls: readonly ToolCall<unknown, MetaField>[]): Decision {
  return { kind: 'calls', calls }
}

/**
 * Returns the decision to end the run with an answer, which can be any JSON value.
 *
 * @example
 * return answer(`Order ${order.id} is ${order.status}.`)
 */
export function answer(value: JsonValue): Decision {
  return typeof value === 'string' ? { kind: 'answer', text: value } : { kind: 'answer', value }
}

/**
 * Returns the decision to ask the user. The run is suspended. To continue the run, pass the user's answer to `resume`.
 *
 * @example
 * return ask('Which of your orders do you mean?')
 */
export function ask(question: string): Decision {
  return { kind: 'question', question }
}

export function requireDecision(decision: unknown): Decision {
  try {
    if (isDecision(decision)) return decision
  } catch {
    // Reading the value threw an error.
  }
  throw new ToolFailure(
    'The planner did not return a decision. Return callTools(...) with at least one call, answer(...) or ask(...).',
    {
      reason: 'internal',
      action: 'finish',
    },
  )
}

function isDecision(value: unknown): value is Decision {
  if (!isFields(value)) return false
  switch (value.kind) {
    case 'calls':
      return Array.isArray(value.calls) && value.calls.length > 0
    case 'answer':
      return typeof value.text === 'string' || JSON.stringify(value.value) !== undefined
    case 'question':
      return typeof value.question === 'string'
    case 'correction':
      return typeof value.correction === 'string'
    case 'stop':
      return isFields(value.stop) && typeof value.stop.reason === 'string'
    default:
      return false
  }
}

export function clarificationOf(
  outcomes: readonly ToolOutcome[],
): { readonly question: string; readonly fields: readonly ClarificationField[] } | undefined {
  const byName = new Map<string, ClarificationField>()
  for (const outcome of outcomes) {
    if (outcome.status !== 'failed' || outcome.hint.reason !== 'missing_fields') continue
    const { tool, missing } = outcome.hint
    for (const field of missing) byName.set(`${tool} ${field.path}`, { ...field, tool })
  }
  const fields = [...byName.values()]
  if (fields.length === 0) return undefined
  const names = [...new Set(fields.map(nameOf))]
  const question =
    names.length === 1 ? `Please enter: ${names[0]}.` : `Please enter:\n${names.map((name) => `- ${name}`).join('\n')}`
  return { question, fields }
}

function nameOf({ path, description }: ClarificationField): string {
  const name = parsePointer(path)?.at(-1) ?? path
  return description === undefined ? name : `${description} (${name})`
}

export const noPlanner: Planner = () => {
  throw new ToolFailure(
    'The agent has no planner, so it cannot run. Register it with { planner, toolsets } or { agent, toolsets }.',
    {
      reason: 'internal',
      action: 'finish',
    },
  )
}
