/** When so many faults are known besides the listed issues, no further ones are looked for. */
export const mostCounted = 10_000
