/** `Array.isArray` that also tells a readonly array from the other alternatives of a union. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The items of an array as a `Set`. */
export function arrayToSet<Item>(items: readonly Item[]): Set<Item> {
  return new Set(items)
}

/** The items of a `Set` in their order. */
export function setToArray<Item>(items: ReadonlySet<Item>): Item[] {
  return [...items]
}

/** The own entries of a record as a `Map`. */
export function recordToMap<Value>(record: Readonly<Record<string, Value>>): Map<string, Value> {
  return new Map(Object.entries(record))
}

/** The entries of a `Map` as a record; a key such as `__proto__` becomes an ordinary own property. */
export function mapToRecord<Value>(map: ReadonlyMap<string, Value>): Record<string, Value> {
  return Object.fromEntries(map)
}

/** A record with every value converted; a key such as `__proto__` stays an ordinary own property. */
export function mapRecord<Value, Converted>(
  record: Readonly<Record<string, Value>>,
  convert: (value: Value) => Converted,
): Record<string, Converted> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}
