import type { Effects, IdKind } from '../types/call-options.js'

const PREFIXES: Readonly<Record<IdKind, string>> = {
  toolCall: 'call',
  run: 'run',
  suspension: 'suspension',
  session: 'session',
}

/** The real clock, and ids that are unique by 64 random bits of this runtime and a number of their own. */
export function systemEffects(): Effects {
  const runtime = crypto.randomUUID().replaceAll('-', '').slice(0, 16)
  let count = 0
  return Object.freeze({
    now: () => Date.now(),
    newId: (kind: IdKind) => {
      count += 1
      return `${PREFIXES[kind]}_${runtime}_${count}`
    },
  })
}
