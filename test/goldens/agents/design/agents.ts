import { defineAgent, exportToolset, fromAgent, fromService } from '@toolgen/dsl'
import { archive } from './archive.js'
import { archiveClient } from './clients.js'
import { investigation } from './investigation.js'
import { tickets } from './tickets.js'

// The two agents use each other.
export const support = defineAgent('support', {
  description: 'Answers customers.',
  instructions: 'Be kind.',
  uses: [fromAgent(investigation, { only: ['investigate', 'summarize'], rename: { investigate: 'find_out' } })],
  exports: [tickets],
  policy: { maxDepth: 2 },
})

export const research = defineAgent('research', {
  description: 'Finds things out.',
  uses: [fromService(archive, archiveClient, { maxResult: { items: 20 } }), fromAgent(tickets, { as: 'desk' })],
  exports: [
    exportToolset(investigation, {
      tools: {
        investigate: {
          template: 'Find out all about {{topic}}, to a depth of {{depth}}.',
          systemPrompt: 'Be thorough. Ask a person where the archive says nothing.',
        },
        summarize: { text: 'Tell what the archive says.', prose: true },
      },
    }),
  ],
})

export const clerk = defineAgent('clerk', {
  description: 'Checks claims.',
  maxResult: { tokens: 4_000 },
  uses: [fromAgent(investigation)],
})
