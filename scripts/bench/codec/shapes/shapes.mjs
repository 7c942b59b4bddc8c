import { withErrors } from './errors.mjs'
import { large } from './large.mjs'
import { medium } from './medium.mjs'
import { randomParts } from './random.mjs'
import { small } from './small.mjs'
import { withUnknownKeys } from './unknown-keys.mjs'

const shapes = { small, medium, large }

/** Names of the shapes, in the order of the report. */
export const shapeNames = Object.keys(shapes)

/**
 * The values of a shape, equal in every process. To measure with values, parse `texts`, so that the objects have the memory
 * layout of values from `JSON.parse`.
 */
export function shapeValues(name) {
  const shape = shapes[name]
  const parts = randomParts(17)
  const valid = Array.from({ length: shape.instances }, () => shape.make(parts))
  const errors = shape.errors()
  return {
    valid,
    errors,
    /** Valid values with the defaults of the fields named `note`. */
    completed: valid.map(shape.completed),
    texts: valid.map((value) => JSON.stringify(value)),
    textsWithUnknownKeys: valid.map((value, index) => JSON.stringify(withUnknownKeys(value, index))),
    /** Invalid values. Each has several errors, which differ between the values. */
    invalid: valid.map((value, index) => {
      const applied = someErrors(errors, shape.errorsAtOnce, index)
      return { value: withErrors(value, applied), pointers: applied.map(({ pointer }) => pointer) }
    }),
  }
}

/** Chooses `count` errors, spread over the array. No chosen error is inside the location of another. */
function someErrors(errors, count, start) {
  const usable = errors.filter((error) => !error.insideUnion)
  const chosen = []
  const stride = Math.max(1, Math.floor(usable.length / count) - 1)
  for (let step = start; chosen.length < count; step += stride) {
    for (let next = 0; next < usable.length; next += 1) {
      const error = usable[(step + next) % usable.length]
      if (chosen.some((other) => overlap(other.pointer, error.pointer))) continue
      chosen.push(error)
      break
    }
  }
  return chosen
}

const overlap = (one, other) => `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`)
