import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const tickets = defineToolset('tickets', {
  description: 'Ask people for help.',
  tools: {
    openTicket: defineTool({
      description: 'Open a ticket for a person to look at.',
      payload: z.object({ subject: z.string(), urgent: z.boolean().optional() }),
      result: z.object({ ticketId: z.string() }),
      confirmation: { prompt: 'Open a ticket about {{subject}}?' },
    }),
    ticketState: defineTool({
      description: 'Look up what has become of a ticket.',
      payload: z.object({ ticketId: z.string() }),
      result: z.object({ state: z.enum(['open', 'closed']) }),
      readOnly: true,
    }),
  },
})
