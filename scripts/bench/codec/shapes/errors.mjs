/**
 * Returns an error at one location. `apply` changes a valid value. `pointer` is the JSON Pointer that the issue must have. Validators that ignore
 * unknown keys do not find errors with `unknownKey`.
 */
export const wrong = (pointer, value) => ({
  pointer,
  apply: (root) => {
    const { parent, key } = located(root, pointer)
    parent[key] = value
  },
})

/** Returns the error for a missing required field. */
export const missing = (pointer) => ({
  pointer,
  apply: (root) => {
    const { parent, key } = located(root, pointer)
    delete parent[key]
  },
})

/** Returns the error for an undeclared key. */
export const unknown = (pointer) => ({ ...wrong(pointer, 'undeclared'), unknownKey: true })

/** Marks an error inside a union. Validators report different locations for such errors, so the operation `issues` does not use them. */
export const insideUnion = (error) => ({ ...error, insideUnion: true })

/** Returns a copy of the value with the errors. */
export function withErrors(value, errors) {
  const copy = structuredClone(value)
  for (const error of errors) error.apply(copy)
  return copy
}

function located(root, pointer) {
  const keys = pointer.split('/').slice(1)
  const key = keys.pop()
  return { parent: keys.reduce((parent, step) => parent[step], root), key }
}
