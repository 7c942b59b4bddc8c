/**
 * The element that is known to be there.
 *
 * @throws {RangeError} when it is not
 */
export function knownElement<T>(list: readonly T[], index: number): T {
  const element = list[index]
  if (element === undefined) throw new RangeError(`No element ${index} in a list of ${list.length}.`)
  return element
}
