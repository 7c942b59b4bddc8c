import { defineAgent, fromMcp } from '@toolgen/dsl'
import { files } from './files.js'
import { search } from './search.js'

export const support = defineAgent('support', {
  description: 'Answers questions about files and notes.',
  uses: [
    fromMcp(files),
    fromMcp(search, { only: ['find', 'forget'], rename: { find: 'find_notes' } }),
    fromMcp(search, {
      as: 'archive',
      tools: { find: { name: 'archive_find' }, index: { name: 'archive-index' } },
      rename: { forget: 'archive_remove' },
    }),
  ],
})

export const reader = defineAgent('reader', {
  description: 'Reads files.',
  uses: [fromMcp(files, { only: ['readFile'] })],
})
