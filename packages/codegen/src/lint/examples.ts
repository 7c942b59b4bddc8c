import type { Rule } from './context.js'

/** Returns examples that differ in one part of a common text, which marks that part with `…`. */
export function examplePair(text: string, bad: string, good: string): Rule['examples'] {
  return { bad: text.replace('…', () => bad), good: text.replace('…', () => good) }
}

/** Parts of `findOrders` that differ from the default, as code. */
type OrderToolParts = Partial<Record<'description' | 'payload' | 'orders' | 'more', string>>

/** Returns the definition of a tool that lists orders. */
export function findOrders({
  description = 'Orders of one customer, newest first.',
  payload = "{ email: z.string().describe('E-mail address of the customer') }",
  orders = 'z.array(z.object({ orderId: z.string() })).max(20)',
  more = '',
}: OrderToolParts): string {
  return `findOrders: defineTool({
  description: '${description}',
  payload: z.object(${payload}),
  result: z.object({ orders: ${orders} }),
${more}})`
}

/** Returns the definition of a tool that gets one order. */
export function getOrder(description: string): string {
  return `getOrder: defineTool({
  description: ${description},
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`
}

/** Returns the definitions of a toolset and of an agent that uses it. */
export function shop(tools: string): string {
  return `export const shop = defineToolset('shop', {
  description: 'Everything about the shop.',
  tools: ${tools},
})
export const clerk = defineAgent('clerk', { description: 'Knows the shop.', uses: [fromMcp(shop)] })`
}
