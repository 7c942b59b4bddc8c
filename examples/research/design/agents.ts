import { defineAgent, exportToolset, fromAgent, fromService } from '@toolgen/dsl'
import { archive } from './archive.js'
import { archiveClient, ordersClient } from './clients.js'
import { investigation } from './investigation.js'
import { orders } from './orders.js'

export const support = defineAgent('support', {
  description: 'Answers customers about their orders.',
  uses: [fromService(orders, ordersClient), fromAgent(investigation)],
})

export const research = defineAgent('research', {
  description: 'Finds out what is wrong with articles.',
  instructions: [
    'You find out what is wrong with articles of a lamp shop.',
    'Search the archive, read what may matter, and ask the maker where the notes leave something open.',
    'Say nothing that no source says.',
  ].join(' '),
  uses: [fromService(archive, archiveClient)],
  exports: [exportToolset(investigation, { tools: { investigate: { template: '{{problem}} It is a {{sku}}.' } } })],
})
