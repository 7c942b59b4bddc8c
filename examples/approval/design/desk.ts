import { defineAgent, fromService } from '@toolgen/dsl'
import { paymentsClient } from './clients.js'
import { payments } from './payments.js'

export const desk = defineAgent('desk', {
  description: 'Settles complaints about payments.',
  uses: [fromService(payments, paymentsClient)],
  policy: { maxTurns: 10 },
})
