import type { Effects, IdKind } from '../contract/effects.js'

/** Ids that are counted, and a clock that begins when the recording began. */
export function cassetteEffects(recordedAt: number): Effects {
  const openedAt = Date.now()
  const counts = new Map<IdKind, number>()
  return Object.freeze({
    now: () => recordedAt + Date.now() - openedAt,
    newId: (kind: IdKind) => {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${kind}_${count}`
    },
  })
}
