import { renderForModel, type ToolOutcome } from '@toolgen/runtime'

/** Takes one line of text. */
export type Print = (line: string) => void

/** What came of a call: the result as JSON, or why there is none and what a model is told. */
export function printOutcome(outcome: ToolOutcome, print: Print): void {
  if (outcome.status === 'completed') print(`   answers ${outcome.json}`)
  if (outcome.status !== 'failed') return
  print(`   fails: ${outcome.hint.reason}, the planner may ${outcome.hint.action}`)
  print(`   a model is told: ${renderForModel(outcome)}`)
}
