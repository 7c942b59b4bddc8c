import { defineAgent, fromService } from '@toolgen/dsl'
import { catalogue } from './catalogue.js'
import { clients } from './clients.js'

export const shop = defineAgent('shop', {
  description: 'Runs a shop.',
  instructions: "Be brief.\nDon't promise delivery dates.",
  policy: { maxToolCalls: 10, onMissingFields: 'resume' },
  uses: [fromService(catalogue, clients.catalogue)],
  exports: [catalogue],
})
