/**
 * Limits of one program. They apply to the whole program, also if it was suspended: when it continues, it runs again from its start, and its
 * earlier computing, calls and output count once. `Infinity` means no limit.
 */
export interface SandboxLimits {
  /** Time in which the program itself computes, in milliseconds. Waiting for calls does not count. Default: 2,000. */
  readonly computeMs: number
  /** Time from the start to the end of the program, in milliseconds, without the time in which it was suspended. Default: 300,000. */
  readonly totalMs: number
  /** Number of calls. Default: 256. */
  readonly calls: number
  /** Number of calls that run at the same time. Further calls wait. Default: 32. */
  readonly parallel: number
  /** Number of characters of the output of `console`. Further output is dropped. Default: 16,000. */
  readonly logCharacters: number
  /** Number of characters of the result as JSON. Default: 100,000. */
  readonly resultCharacters: number
}

const defaultLimits: SandboxLimits = {
  computeMs: 2_000,
  totalMs: 300_000,
  calls: 256,
  parallel: 32,
  logCharacters: 16_000,
  resultCharacters: 100_000,
}

/** Lowest values of the limits that are not times. */
const lowest: Readonly<Record<string, number>> = { calls: 0, parallel: 1, logCharacters: 0, resultCharacters: 1 }

/**
 * Returns the limits, with defaults for those that are absent or `undefined`.
 *
 * @throws {RangeError} if a limit is invalid
 */
export function requireLimits(given: { readonly [Name in keyof SandboxLimits]?: unknown } = {}): SandboxLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of set) {
    const least = lowest[name]
    const isLimit = typeof value === 'number' && (least === undefined ? value > 0 : isCount(value, least))
    if (isLimit) continue
    const expected = least === undefined ? 'a positive number of milliseconds' : `an integer of at least ${least}`
    throw new RangeError(
      `codeMode: \`limits.${name}\` is ${String(value)}. Expected ${expected}, or Infinity for no limit.`,
    )
  }
  return { ...defaultLimits, ...Object.fromEntries(set) }
}

const isCount = (value: number, least: number): boolean =>
  value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= least)

/** Returns limits that JSON can carry: `Infinity` would become `null`. */
export function finiteLimits(limits: SandboxLimits): SandboxLimits {
  const finite = Object.entries(limits).map(([name, value]) => [name, Math.min(value, Number.MAX_SAFE_INTEGER)])
  return Object.fromEntries(finite)
}

/**
 * @param sandbox name of the function that creates the sandbox
 * @param memory lowest and highest memory of its engine, in MiB
 * @throws {RangeError} if an option is invalid
 */
export function requireSandboxOptions(
  sandbox: string,
  memoryMiB: number,
  idle: number,
  [least, most]: readonly [number, number],
): void {
  if (!(memoryMiB >= least && memoryMiB <= most))
    throw new RangeError(`${sandbox}: \`memoryMiB\` is ${memoryMiB}. Expected a number from ${least} to ${most}.`)
  if (!(Number.isInteger(idle) && idle >= 0))
    throw new RangeError(`${sandbox}: \`idle\` is ${idle}. Expected an integer of at least 0.`)
}
