/** Freezes plain data through and through and returns it. */
export function deepFreeze<Value>(value: Value): Value {
  freeze(value, new Set())
  return value
}

function freeze(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner, seen)
}
