import { defineAgent, fromService } from '@toolgen/dsl'
import { client } from './clients.js'
import { odd } from './odd.js'

export const agent = defineAgent('agent', {
  description: 'An agent whose names collide with those of the runtime.',
  uses: [
    fromService(odd, client, {
      as: 'con',
      only: ['constructor', '42', 'toString'],
      tools: { constructor: { method: 'run' }, '42': { method: 'send' }, toString: { method: 'print' } },
    }),
  ],
})
