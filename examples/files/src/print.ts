import { renderForModel, type ToolOutcome } from '@toolgen/runtime'

/** Prints one line. */
export type Print = (line: string) => void

/** Prints the outcome of a call: the result as JSON, or the reason of the failure and the text for a model. */
export function printOutcome(outcome: ToolOutcome, print: Print): void {
  if (outcome.status === 'completed') print(`   answers ${outcome.json}`)
  if (outcome.status !== 'failed') return
  print(`   fails: ${outcome.hint.reason}, the planner may ${outcome.hint.action}`)
  print(`   a model is told: ${renderForModel(outcome)}`)
}
