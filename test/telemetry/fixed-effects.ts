import type { Effects } from '@toolgen/runtime'

/** Returns a clock that `tick` advances, and consecutive ids. */
export function fixedEffects(tick: () => number = () => 0): Effects {
  let now = 1_000
  let ids = 0
  return {
    now: () => {
      now += tick()
      return now
    },
    newId: (kind) => {
      ids += 1
      return `${kind}-${ids}`
    },
  }
}
