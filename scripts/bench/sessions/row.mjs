/** What a figure should be: how that is written, and whether a value is that. */
export const below = (limit) => ({ text: `< ${shown(limit)}`, isMet: (value) => value < limit })

/** @see below */
export const atLeast = (limit) => ({ text: `≥ ${shown(limit)}`, isMet: (value) => value >= limit })

/**
 * A row of the report: what was measured, or that it was not.
 *
 * @param figure `case`, `contestant`, `unit`; `value`, absent where it could not be measured, and `missing`, why; `peer`,
 * `{ name, value }` of what it is compared with; `aim`
 */
export function row({ case: title, contestant, unit, value, missing, peer, aim }) {
  const aimed = aim === undefined ? {} : { aim: aim.text }
  if (missing !== undefined) return { case: title, contestant: `${contestant} (${missing})`, unit, ...aimed }
  return {
    case: title,
    contestant,
    value,
    unit,
    ...(peer !== undefined && { ratio: value / peer.value, against: peer.name }),
    ...aimed,
    ...(aim !== undefined && { met: aim.isMet(value) }),
  }
}

function shown(limit) {
  return limit.toLocaleString('en')
}
