// `npm start`: installs, builds, generates the code of an example, compiles it and runs it: `npm start -- research`. An example without a main
// program runs in `toolgen dev`.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { node, root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

const [name = 'orders'] = process.argv.slice(2)
const example = join(root, 'examples', name)
if (!existsSync(configOf(name))) {
  const examples = readdirSync(join(root, 'examples')).filter((each) => existsSync(configOf(each)))
  console.error(`There is no example '${name}'. Choose one of: ${examples.join(', ')}.`)
  process.exit(1)
}
const toolgen = join(root, 'packages/codegen/bin/toolgen.js')
const steps = existsSync(join(example, 'src/main.ts'))
  ? [
      [[toolgen, 'generate'], 'toolgen generate'],
      [[join(root, 'node_modules/typescript-7/bin/tsc'), '-b', '.'], 'tsc -b'],
      [['dist/src/main.js'], 'node dist/src/main.js'],
    ]
  : [[[toolgen, 'dev'], 'toolgen dev']]

await setUp()
for (const [args, shown] of steps) {
  console.error(`\nexamples/${name} $ ${shown}`)
  const code = await node(args, { cwd: example })
  if (code !== 0) process.exit(code)
}

/** Returns the path of the configuration of an example. */
function configOf(example) {
  return join(root, 'examples', example, 'toolgen.config.ts')
}
