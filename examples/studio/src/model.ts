import type { ModelRequest } from '@toolgen/runtime/agents'
import { calls, type ScriptedModel, type ScriptedResponse, says, scriptedModel } from '@toolgen/runtime/testing'

/** Chooses a response from the last text of the user, and from the results since then. */
type Rule = (text: string, results: readonly string[]) => ScriptedResponse

/** Number of responses after which the script ends. */
const RESPONSES = 10_000

/** A model that answers by rules, so that the example needs no key. */
export function shopModel(): ScriptedModel {
  return scriptedModel(Array(RESPONSES).fill(byRule(supportRule)), { name: 'shop-model' })
}

/** The model of the returns desk. */
export function deskModel(): ScriptedModel {
  return scriptedModel(Array(RESPONSES).fill(byRule(deskRule)), { name: 'desk-model' })
}

function byRule(rule: Rule): (request: ModelRequest) => ScriptedResponse {
  return ({ messages }) => {
    const at = messages.findLastIndex(({ role }) => role === 'user')
    const results = messages.slice(at + 1).flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []))
    const response = rule(textOf(messages[at]?.content), results)
    const promptTokens = Math.ceil(JSON.stringify(messages).length / 4)
    const completionTokens = Math.ceil(JSON.stringify(response).length / 4)
    return { ...response, usage: { promptTokens, completionTokens }, model: 'shop-model-1' }
  }
}

const supportRule: Rule = (text, results) => {
  const ids = text.match(/A-\d+/g) ?? ['A-1001']
  const [id = 'A-1001'] = ids
  const [last] = results.slice(-1)
  if (last !== undefined) return says(summaryOf(last))
  if (/report|revenue/i.test(text)) return calls({ tool: 'reports_monthlyRevenue', arguments: { year: 2025 } })
  if (/cancel/i.test(text)) return calls({ tool: 'orders_cancelOrder', arguments: { orderId: id, reason: text } })
  if (/broken|damaged|refund|back/i.test(text)) {
    return calls({ tool: 'returns_settle', arguments: { orderId: id, complaint: text } })
  }
  if (/where|status|order/i.test(text)) {
    return calls(...ids.map((orderId) => ({ tool: 'orders_getOrder', arguments: { orderId } })))
  }
  return says('I can look up and cancel orders, settle complaints and build reports. Try "Where is A-1002?"')
}

const deskRule: Rule = (text, results) => {
  const [orderId = 'A-1002'] = text.match(/A-\d+/) ?? []
  const [payment, refund] = results
  if (payment === undefined) return calls({ tool: 'payments_findPayment', arguments: { orderId } })
  if (refund !== undefined) return says(/"refunded"/.test(refund) ? `We paid back: ${refund}` : `No refund: ${refund}`)
  try {
    const { id, amount } = JSON.parse(payment)
    return calls({ tool: 'payments_refund', arguments: { paymentId: id, amount: amount / 2 } })
  } catch {
    return says(`There is nothing to pay back. ${payment}`)
  }
}

function summaryOf(result: string): string {
  try {
    const value = JSON.parse(result)
    if (typeof value === 'string') return value
    if ('status' in value) return `Order ${value.id} is ${value.status}. Its total is ${value.total} €.`
    if ('cancelled' in value) return 'The order is cancelled.'
    return `The revenue of ${value.year} was ${value.total} €.`
  } catch {
    return result
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}
