// `npm run soak -- NAME --seconds N [--seed S]`: runs one of the fault and fuzz rounds in scripts/soak/.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

const folder = join(root, 'scripts', 'soak')
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.replace('.mjs', ''))
const { values, positionals } = args()
const [name] = positionals
const seconds = Number(values.seconds)
if (name === undefined || !names.includes(name) || !(seconds > 0)) {
  console.error(`usage: npm run soak -- ${names.join('|')} --seconds N [--seed S]`)
  process.exit(2)
}

await setUp()
const { soak } = await import(join(folder, `${name}.mjs`))
const lost = await soak({ seconds, seed: values.seed === undefined ? undefined : Number(values.seed) })
process.exit(lost === 0 ? 0 : 1)

function args() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { seconds: { type: 'string', default: '30' }, seed: { type: 'string' } },
    })
  } catch (error) {
    console.error(error.message)
    return { values: {}, positionals: [] }
  }
}
