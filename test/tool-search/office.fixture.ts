import { approval, type BoundAgent, Runtime, type Tool, tool, toolset } from '@toolgen/runtime'
import type { Agent } from '@toolgen/runtime/agents'

const text = (description: string) => ({ type: 'string', description })

function simple(name: string, description: string, properties: Readonly<Record<string, unknown>> = {}): Tool {
  return tool({
    name,
    description,
    parameters: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    run: (args) => ({ tool: name, ...args }),
  })
}

const orders = toolset(
  'orders',
  simple('getOrder', 'Fetch one order. Returns its line items.', { orderId: text('Number of the order') }),
  simple('cancelOrder', 'Cancel an order that has not shipped.', { orderId: text('Number of the order') }),
  simple('refundPayment', 'Give a customer money back.', { paymentId: text('Id of the payment') }),
)
const mail = toolset(
  'mail',
  simple('sendMessage', 'Send an e-mail.', { to: text('Address of the recipient'), body: text('Text of the e-mail') }),
  simple('searchMailbox', 'Find e-mails.', { words: text('Words in the subject or the text') }),
  simple('archive-message', 'Move an e-mail to the archive.', { id: text('Id of the e-mail') }),
)
const calendar = toolset(
  'calendar',
  simple('createEvent', 'Add an appointment to the calendar.', {
    start: text('Start as date and time'),
    visibility: { type: 'string', enum: ['confidential', 'public'], description: 'Who sees the appointment' },
  }),
  simple('listEvents', 'List the appointments of a day.', { day: text('Day of the week') }),
)

/** An agent with eight tools in three toolsets. Each tool returns its name and its arguments. */
export function office<Env = unknown>(agent?: Agent<Env>): BoundAgent<Env> {
  const runtime = new Runtime()
  const parts = agent === undefined ? {} : { agent }
  return runtime.registerAgent({ name: 'office', description: 'Helps in an office.' }, [orders, mail, calendar], parts)
}

/** A toolset with a tool that needs an approval. */
export const nurses = toolset('nurses', simple('callNurse', 'Call a nurse to the office.').layer(approval()))
