/** The port of `toolgen serve` where none is said. */
export const defaultPort = 3000
