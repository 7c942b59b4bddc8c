// `npm run dev`: builds the packages again after every save, until Ctrl+C.
import { existsSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { node, root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

await setUp()
let isChanged = false
let isBuilding = false
for (const name of readdirSync(join(root, 'packages'))) {
  const sources = join(root, 'packages', name, 'src')
  if (existsSync(sources)) watch(sources, { recursive: true }, build)
}
console.log('Watching packages/*/src.')

/** Builds once for all saves of the last 50 ms, and again for saves during the build. */
async function build() {
  isChanged = true
  if (isBuilding) return
  isBuilding = true
  while (isChanged) {
    await sleep(50)
    isChanged = false
    const start = performance.now()
    const code = await node(['scripts/build.mjs'])
    const time = `${((performance.now() - start) / 1000).toFixed(1)} s`
    console.log(code === 0 ? `Built in ${time}.` : `The build failed after ${time}; see above.`)
  }
  isBuilding = false
}
