// Checks everything that one contestant can do, on a table of valid and faulty values, in a process of its own: what it
// is shown here would otherwise change how the engine optimises what is measured.
import { contestant } from './contestants/contestants.mjs'
import { operations } from './operations/operations.mjs'
import { shapeNames, shapeValues } from './shapes/shapes.mjs'

const module = await contestant(process.argv[2])
const checked = Object.keys(operations).filter((name) => name in module.operations)
process.send({
  name: module.name,
  mistakes: Object.fromEntries(
    checked.map((name) => [name, Object.fromEntries(shapeNames.map((shape) => [shape, mistakesAt(name, shape)]))]),
  ),
})

function mistakesAt(name, shape) {
  const operation = operations[name]
  if (module.checksNothing && operation.checks) return []
  return operation.mistakes(module.operations[name](shape), shapeValues(shape), module)
}
