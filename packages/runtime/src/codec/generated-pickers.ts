/*
 * The words of which generated pickers are made; generated code imports them as `pick`. They leave undeclared fields out
 * of values that a check has accepted.
 */

/** Makes a value without undeclared fields of one that has them, as generated. */
export type Pick = (value: any) => any // any: generated pickers read fields of what was checked

/** The items of an array, each picked. */
export function list(items: readonly unknown[], pick: Pick): unknown[] {
  const picked: unknown[] = []
  // The array may be of the caller's own making: its methods are not called.
  for (let index = 0; index < items.length; index++) picked.push(pick(items[index]))
  return picked
}
