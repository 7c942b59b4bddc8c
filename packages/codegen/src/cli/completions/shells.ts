/** The shells that can be told what to complete. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** One of {@link shells}. */
export type Shell = (typeof shells)[number]
