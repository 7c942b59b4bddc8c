import { refusedForms } from '../scene/refused-forms.js'
import type { Rule } from '../scene/rule.js'

/** Tools that Anthropic's API refuses. */
export const anthropicForm: Rule = {
  id: 'anthropic-form',
  code: 'TG8331',
  vendor: 'anthropic',
  next: 'Rename the field to 1 to 64 letters, digits, `_`, `.` or `-`; a binding can give it its old name for the service.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ 'e-mail address': z.string().describe('Of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: (scene) => refusedForms(scene, 'anthropic'),
}
