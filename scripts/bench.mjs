// `npm run bench -- NAME [--json]`: runs one of the benchmarks in scripts/bench/.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

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
else console.log(table(rows))

function table(rows) {
  const columns = ['case', 'contestant', 'value', 'unit', 'ratio', 'against', 'aim', 'met']
  const header = columns.filter((key) => rows.some((row) => row[key] !== undefined))
  const cells = rows.map((row) => header.map((key) => shown(row[key])))
  const widths = header.map((key, i) => Math.max(key.length, ...cells.map((row) => row[i].length)))
  return [header, ...cells]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function shown(value) {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'number' ? String(Number(value.toPrecision(3))) : String(value)
}
