/** Values that are no bytes, of the kinds that people check for. */
const others: readonly unknown[] = [undefined, null, 'text', 1, true, {}, [1], new Uint16Array(1), new ArrayBuffer(1)]
const bytes: readonly Uint8Array[] = [new Uint8Array(), Uint8Array.of(0, 255)]

/**
 * Whether a check in code is the one of `z.instanceof(Uint8Array)`. It keeps its class to itself, so it is asked: any
 * bytes must pass, whatever is in them, and nothing else.
 *
 * @param check may throw, or answer later: then it is another check
 */
export function isBytesCheck(check: (value: unknown) => unknown): boolean {
  const passes = (value: unknown): boolean | undefined => {
    try {
      const answer = check(value)
      if (!(answer instanceof Promise)) return Boolean(answer)
      // Its answer decides nothing, and must not end the process when it is an error.
      answer.catch(() => undefined)
      return undefined
    } catch {
      // A check that throws takes the kind of value for granted.
      return undefined
    }
  }
  return bytes.every((value) => passes(value) === true) && others.every((value) => passes(value) === false)
}
