// `npm start`: sets everything up, generates the code of the orders example, compiles it and runs it.
import { join } from 'node:path'
import { node, root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

const example = join(root, 'examples', 'orders')
const steps = [
  [[join(root, 'packages/codegen/bin/toolgen.js'), 'generate'], 'toolgen generate'],
  [[join(root, 'node_modules/typescript-7/bin/tsc'), '-b', '.'], 'tsc -b'],
  [['dist/src/main.js'], 'node dist/src/main.js'],
]

await setUp()
for (const [args, shown] of steps) {
  console.error(`\nexamples/orders $ ${shown}`)
  const code = await node(args, { cwd: example })
  if (code !== 0) process.exit(code)
}
