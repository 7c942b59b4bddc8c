import type { PendingAnswer } from '@toolgen/runtime/agents'

/** Creates a clerk who approves this number of questions to makers and denies all further ones. */
export function clerk(answers: number): () => PendingAnswer {
  let left = answers
  return () => {
    if (left === 0) return { decision: 'deny', reason: 'There is no money left for further questions.' }
    left -= 1
    return 'approve'
  }
}
