import { defineAgent, fromMcp, fromService } from '@toolgen/dsl'
import { paymentsClient } from './clients.js'
import { files } from './files.mcp.js'
import { memory } from './memory.mcp.js'
import { payments } from './payments.js'

export const bookkeeper = defineAgent('bookkeeper', {
  description: 'Answers questions about invoices.',
  instructions:
    'You answer questions about invoices. The invoices are text files in the folder `invoices`. The memory contains the suppliers and their contacts.',
  uses: [fromMcp(files), fromMcp(memory), fromService(payments, paymentsClient)],
})
