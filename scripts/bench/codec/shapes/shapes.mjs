import { faulty } from './faults.mjs'
import { large } from './large.mjs'
import { medium } from './medium.mjs'
import { randomParts } from './random.mjs'
import { small } from './small.mjs'
import { soiled } from './soil.mjs'

const makers = { small, medium, large }

/** The names of the shapes, in the order of the report. */
export const shapeNames = Object.keys(makers)

/**
 * The values of a shape, equal in every process. Whoever takes values for measuring parses `texts` anew, so that the
 * objects have the layout that `JSON.parse` gives them.
 */
export function shapeValues(name) {
  const shape = makers[name]
  const parts = randomParts(17)
  const valid = Array.from({ length: shape.instances }, () => shape.make(parts))
  const faults = shape.faults()
  return {
    valid,
    faults,
    completed: valid.map(shape.completed),
    texts: valid.map((value) => JSON.stringify(value)),
    dirtyTexts: valid.map((value, index) => JSON.stringify(soiled(value, index))),
    /** Each with several faults, which ones differs from value to value. */
    faulty: valid.map((value, index) => {
      const planted = someFaults(faults, shape.faultsAtOnce, index)
      return { value: faulty(value, planted), at: planted.map((fault) => fault.at) }
    }),
  }
}

/** So many faults at places that do not lie within each other, spread over the list. */
function someFaults(faults, count, start) {
  const usable = faults.filter((fault) => !fault.insideUnion)
  const chosen = []
  const stride = Math.max(1, Math.floor(usable.length / count) - 1)
  for (let step = start; chosen.length < count; step += stride) {
    for (let next = 0; next < usable.length; next += 1) {
      const fault = usable[(step + next) % usable.length]
      if (chosen.some((other) => within(other.at, fault.at) || within(fault.at, other.at))) continue
      chosen.push(fault)
      break
    }
  }
  return chosen
}

const within = (inner, outer) => `${inner}/`.startsWith(`${outer}/`)
