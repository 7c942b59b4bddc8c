/** The user of all sessions, and what they are opened with. */
export const opening = { userId: 'u-1', namespaces: ['stock'] }

/** So many new sessions of a registry. */
export function openedSessions(registry, count, prefix = 's') {
  return Promise.all(Array.from({ length: count }, (_, index) => registry.open(`${prefix}-${index}`, opening)))
}

/** @throws {Error} where a session still has something, or waits for something. */
export function requireEmpty(sessions) {
  for (const session of sessions)
    if (session.hasPending() || session.poll().length > 0) throw new Error(`something is left in ${session.id}`)
}
