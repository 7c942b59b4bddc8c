import { defineAgent, fromService } from '@toolgen/dsl'
import { reportsClient } from './clients.js'
import { reports } from './reports.js'

export const analyst = defineAgent('analyst', {
  description: 'Has reports built and tells what they say.',
  // The client tells the sums so far with each quarter: the last of them are those of the year.
  uses: [fromService(reports, reportsClient, { tools: { buildReport: { collect: 'last' } } })],
  policy: { maxTurns: 5 },
})
