/**
 * A fault at one place: `plant` puts it into a valid value, `at` is the JSON Pointer an issue about it must have.
 * Those with `unknownKey` are the ones a validator that ignores unknown keys does not see.
 */
export const wrong = (at, value) => ({ at, plant: (root) => place(root, at, (owner, key) => set(owner, key, value)) })

/** A required field is not there. */
export const missing = (at) => ({ at, plant: (root) => place(root, at, (owner, key) => delete owner[key]) })

/** A key that is not declared. */
export const unknown = (at) => ({ ...wrong(at, 'nobody asked'), unknownKey: true })

/** The fault is inside a union, where validators differ in which place they name; it is left out of lists of issues. */
export const insideUnion = (fault) => ({ ...fault, insideUnion: true })

/** A copy of the value with the faults in it. */
export function faulty(value, faults) {
  const copy = structuredClone(value)
  for (const fault of faults) fault.plant(copy)
  return copy
}

function place(root, pointer, change) {
  const keys = pointer.split('/').slice(1)
  const key = keys.pop()
  change(
    keys.reduce((owner, step) => owner[step], root),
    key,
  )
}

function set(owner, key, value) {
  owner[key] = value
}
