import type { EffortSpent } from './effort.js'
import type { Refusal } from './refusal.js'

/** What a pair of spots came to, whoever asks first. */
export interface Outcome {
  readonly pair: string
  readonly found: readonly Refusal[]
  /** What was learned on the way that holds beside it alone; absent where no definition contains itself. */
  readonly learned?: readonly (Outcome | Learned)[]
  /** What was spent before and on it, where it was given up: who has more left may come further. */
  readonly givenUp?: { readonly before: EffortSpent; readonly steps: number }
}

/** What a pair came to while others were taken for proven; nothing where that was withdrawn. */
export interface Learned {
  readonly pair: string
  readonly found: readonly Refusal[] | undefined
}

/** Whether a part was decided by nothing but its pair. */
export function isOutcome(part: Outcome | Learned): part is Outcome {
  return part.found !== undefined && 'learned' in part
}

/** An outcome with all that was learned on the way to it, each once. */
export function partsOf(outcome: Outcome): readonly (Outcome | Learned)[] {
  const parts = new Set<Outcome | Learned>([outcome])
  for (const part of parts) {
    if (isOutcome(part)) for (const inner of part.learned ?? []) parts.add(inner)
  }
  return [...parts]
}
