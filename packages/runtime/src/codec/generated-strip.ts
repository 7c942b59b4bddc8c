/* Helpers of generated functions that remove undeclared fields. Generated code imports them as `strip`. */

/** Generated function that returns a value without undeclared fields. */
export type Strip = (value: any) => any // any: generated functions read fields of values that were validated

/** Returns a new array without undeclared fields in its items. `strip` converts each item. */
export function array(items: readonly unknown[], strip: Strip): unknown[] {
  const stripped: unknown[] = []
  // The array may override methods such as `map`, so none is called.
  for (let index = 0; index < items.length; index++) stripped.push(strip(items[index]))
  return stripped
}

/** Returns a copy of an object without the fields that are `undefined`. */
export function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) copy[name] = fields[name]
  return copy
}
