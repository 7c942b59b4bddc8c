import type { PendingAnswer } from '@toolgen/runtime/agents'

/** A clerk who lets the shop pay for so many answers of makers, and says no to the others. */
export function clerk(answers: number): () => PendingAnswer {
  let left = answers
  return () => {
    if (left === 0) return { decision: 'deny', reason: 'There is no money left for further questions.' }
    left -= 1
    return 'approve'
  }
}
