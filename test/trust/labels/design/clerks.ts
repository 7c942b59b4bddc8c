import { defineAgent, defineTool, defineToolset, exportToolset, fromAgent, fromExecutor } from '@toolgen/dsl'
import { z } from 'zod'

const look = (description: string, own = {}) =>
  defineTool({ description, payload: z.object({ about: z.string() }), result: z.string(), ...own })

export const inbox = defineToolset('inbox', {
  description: 'Read the mails of a person.',
  reads: ['private', 'untrusted'],
  tools: {
    readMail: look('Read a mail.'),
    countMails: look('Count the mails.', { reads: [] }),
  },
})

export const post = defineToolset('post', {
  description: 'Write mails.',
  writes: ['external', 'irreversible'],
  tools: {
    sendMail: look('Send a mail.'),
    draftMail: look('Keep a draft.', { writes: [] }),
  },
})

export const reading = defineToolset('reading', {
  description: 'Read for others.',
  tools: { summarize: look('Summarize the mails.') },
})

export const reader = defineAgent('reader', {
  description: 'Reads mails.',
  uses: [fromExecutor(inbox)],
  exports: [exportToolset(reading)],
})

export const clerk = defineAgent('clerk', {
  description: 'Reads and writes mails.',
  uses: [fromExecutor(inbox), fromExecutor(post), fromAgent(reading)],
})
