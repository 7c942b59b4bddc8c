import type { ModelDriver, ModelRequest } from '@toolgen/runtime/agents'
import { calls, type ScriptedResponse, says, scriptedModel } from '@toolgen/runtime/testing'

/** Replaces a language model: finds order and article numbers in the question, and calls the tool that fits. Needs no key and no network. */
export function shopModel(): ModelDriver {
  return scriptedModel(
    Array.from({ length: 10_000 }, () => reply),
    { name: 'shop-model' },
  )
}

function reply({ messages, tools }: ModelRequest): ScriptedResponse {
  const usage = { promptTokens: 40 * messages.length, completionTokens: 25 }
  const last = messages.at(-1)
  if (last?.role === 'tool') return { ...says(sentence(textOf(last.content))), usage }
  const question = textOf(last?.content)
  const [orderId] = /A-\d+/.exec(question) ?? []
  const [sku] = /[A-Z]+-\d+/.exec(question.replace(/A-\d+/, '')) ?? []
  const has = (tool: string): boolean => tools.some(({ toolName }) => toolName === tool)
  if (/cancel/i.test(question) && orderId !== undefined) {
    return { ...calls({ tool: 'orders_cancelOrder', arguments: { orderId, refund: { kind: 'all' } } }), usage }
  }
  if (/export/i.test(question)) return { ...calls({ tool: 'orders_exportOrders', arguments: { year: 2026 } }), usage }
  if (orderId !== undefined) return { ...calls({ tool: 'orders_getOrder', arguments: { orderId } }), usage }
  if (sku !== undefined && has('supply_checkSupply')) {
    return { ...calls({ tool: 'supply_checkSupply', arguments: { sku } }), usage }
  }
  if (sku !== undefined) {
    const stock = { tool: 'stock_stockLevel', arguments: { sku } }
    return { ...calls(stock, { tool: 'stock_reorder', arguments: { sku, pieces: 20 } }), usage }
  }
  if (/order/i.test(question)) return { ...calls({ tool: 'orders_findOrders', arguments: {} }), usage }
  return { ...says('Ask me about an order, such as A-1001, or an article, such as LAMP-1.'), usage }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}

/** Makes a sentence of the JSON text of a result. Other texts remain. */
function sentence(text: string): string {
  if (!/^[[{"]/.test(text)) return text
  const value: unknown = JSON.parse(text)
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `There are ${value.length}: ${value.map(({ id }) => id).join(', ')}.`
  return `${Object.entries(Object(value))
    .map(([name, field]) => `${name}: ${textOf(field)}`)
    .join(', ')}.`
}
