/** Options of `open` for all sessions. */
export const opening = { userId: 'u-1', namespaces: ['stock'] }

/** Opens `count` sessions in a registry. */
export function openedSessions(registry, count, prefix = 's') {
  return Promise.all(Array.from({ length: count }, (_, index) => registry.open(`${prefix}-${index}`, opening)))
}

/** @throws {Error} if a session has unread entries or running calls */
export function requireEmpty(sessions) {
  for (const session of sessions)
    if (session.hasPending() || session.poll().length > 0) throw new Error(`${session.id} has unread entries or calls`)
}
