import { renderForModel } from '@toolgen/runtime'
import { plan } from './planner.js'
import { openSupport } from './support.js'

const support = await openSupport()

let number = 0
for await (const { title, call, outcome } of plan(support, 'C-7', 's-1')) {
  number += 1
  console.log(`\n${number}. ${title}`)
  console.log(`   ${call.tool} ${call.arguments}`)
  if (outcome.status === 'completed') {
    const { durationMs, attempts } = outcome.result.provenance
    console.log(`   completed after ${durationMs} ms, ${attempts} attempt: ${outcome.json}`)
  } else if (outcome.status === 'failed') {
    const { reason, action } = outcome.hint
    console.log(`   failed: ${reason}, the planner may ${action}`)
    if ('issues' in outcome.hint && outcome.hint.issues !== undefined)
      for (const { constraint, path, ...facts } of outcome.hint.issues)
        console.log(`     ${constraint} at ${path} ${JSON.stringify(facts)}`)
    console.log(`   a model is told: ${renderForModel(outcome)}`)
  }
}
