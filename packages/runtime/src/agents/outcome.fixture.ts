import { renderForModel } from '../index.js'
import type { ToolOutcome } from '../types/outcome.js'

export const answer: { readonly id: string; readonly total: number } = { id: 'A-1', total: 12.5 }

export function failure(outcome: ToolOutcome): Extract<ToolOutcome, { status: 'failed' }> {
  if (outcome.status !== 'failed') throw new Error(`the call did not fail: ${JSON.stringify(outcome)}`)
  return outcome
}

export function reasonOf(outcome: ToolOutcome): string {
  return failure(outcome).hint.reason
}

export function allText(outcome: ToolOutcome): string {
  return JSON.stringify(outcome) + renderForModel(outcome)
}
