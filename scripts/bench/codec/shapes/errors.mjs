/**
 * An error at one location: `apply` changes a valid value, `pointer` is the JSON Pointer that its issue must have.
 * Validators that ignore unknown keys do not find errors with `unknownKey`.
 */
export const wrong = (pointer, value) => ({
  pointer,
  apply: (root) => {
    const { parent, key } = located(root, pointer)
    parent[key] = value
  },
})

/** A required field is missing. */
export const missing = (pointer) => ({
  pointer,
  apply: (root) => {
    const { parent, key } = located(root, pointer)
    delete parent[key]
  },
})

/** A key is not declared. */
export const unknown = (pointer) => ({ ...wrong(pointer, 'undeclared'), unknownKey: true })

/** The error is inside a union. Validators report different locations for it, so the operation `issues` does not use it. */
export const insideUnion = (error) => ({ ...error, insideUnion: true })

/** A copy of the value with the errors. */
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
