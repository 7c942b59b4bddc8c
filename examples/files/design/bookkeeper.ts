import { defineAgent, fromMcp } from '@toolgen/dsl'
import { everything } from './everything.mcp.js'
import { files } from './files.mcp.js'

export const bookkeeper = defineAgent('bookkeeper', {
  description: 'Adds up the invoices of a folder.',
  uses: [
    fromMcp(files, { only: ['listDirectory', 'readTextFile', 'writeFile'] }),
    fromMcp(everything, {
      only: ['getSum', 'triggerLongRunningOperation'],
      rename: { getSum: 'add', triggerLongRunningOperation: 'audit' },
    }),
  ],
})
