import type { ToolCall } from '../contract/call.js'
import type { JsonValue } from '../contract/json.js'
import type { MetaField } from '../contract/meta.js'
import type { Decision } from '../contract/planner.js'

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
