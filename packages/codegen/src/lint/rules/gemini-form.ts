import { refusedForms } from '../scene/refused-forms.js'
import type { Rule } from '../scene/rule.js'

/** Tools that Gemini's API refuses. */
export const geminiForm: Rule = {
  id: 'gemini-form',
  code: 'TG8332',
  vendor: 'gemini',
  next: 'Give the tool a `wireName` that begins with a letter or `_`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
  wireName: '1_find_orders',
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
  wireName: 'find_orders_first',
})`,
  },
  check: (scene) => refusedForms(scene, 'gemini'),
}
