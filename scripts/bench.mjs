// `npm run bench -- NAME [--json]`: runs one of the benchmarks in scripts/bench/.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { table } from './lib/table.mjs'

const columns = ['case', 'contestant', 'value', 'unit', 'ratio', 'against', 'aim', 'met']
const folder = join(root, 'scripts', 'bench')
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.mjs'))
  .map((file) => file.replace('.bench.mjs', ''))
const [name, ...rest] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run bench -- ${names.join('|')} [--json] [--only PART,...]`)
  process.exit(2)
}

await setUp()
const { benchmark } = await import(join(folder, `${name}.bench.mjs`))
const rows = await benchmark({ log: (line) => console.error(line) })
if (rest.includes('--json')) console.log(JSON.stringify({ name, rows }))
else console.log(table(rows, columns))
