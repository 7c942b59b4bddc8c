import { defineAgent, fromService } from '@toolgen/dsl'
import { reportsClient } from './clients.js'
import { reports } from './reports.js'

export const analyst = defineAgent('analyst', {
  description: 'Has reports built and tells what they say.',
  // Each update contains the totals so far, so the last update is the result of the year.
  uses: [fromService(reports, reportsClient, { tools: { buildReport: { collect: 'last' } } })],
  policy: { maxTurns: 5 },
})
