/** What an id is made for; `session` is one opening of a session. */
export type IdKind = 'toolCall' | 'run' | 'suspension' | 'session'

/** The runtime's only doors to the clock and to randomness, so that tests and journals can stand in for them. */
export interface Effects {
  /** Milliseconds since the epoch. */
  now(): number
  /** A new unique id. */
  newId(kind: IdKind): string
}
