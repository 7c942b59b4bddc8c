// Checks all operations of one contestant with valid and invalid values. Runs in its own process, because these values would change the
// optimizations of the engine in the measuring process.
import { contestant } from './contestants/contestants.mjs'
import { operations } from './operations.mjs'
import { shapeNames, shapeValues } from './shapes/shapes.mjs'

const module = await contestant(process.argv[2])
const checked = Object.keys(operations).filter((name) => name in module.operations)
const { name, checksNothing = false, ignoresUnknownKeys = false } = module
process.send({
  name,
  isComparable: !checksNothing && !ignoresUnknownKeys,
  mistakes: Object.fromEntries(
    checked.map((operation) => [
      operation,
      Object.fromEntries(shapeNames.map((shape) => [shape, mistakes(operation, shape)])),
    ]),
  ),
})

function mistakes(name, shape) {
  const operation = operations[name]
  if (checksNothing && operation.checks) return []
  return operation.mistakes(module.operations[name](shape), shapeValues(shape), module)
}
