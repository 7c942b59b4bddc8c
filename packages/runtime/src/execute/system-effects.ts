import type { Effects, IdKind } from '../contract/effects.js'

const PREFIXES: Readonly<Record<IdKind, string>> = { toolCall: 'call', run: 'run' }

/** The real clock and random ids. */
export const systemEffects: Effects = Object.freeze({
  now: () => Date.now(),
  newId: (kind: IdKind) => `${PREFIXES[kind]}_${crypto.randomUUID()}`,
})
