// `npm run soak -- NAME --seconds N [--rounds N] [--cluster] [--seed S]`: runs a random test of scripts/soak for the given time. With `--rounds`,
// `sessions` ends after this number of rounds, and `code-mode` and `durable` kill this number of processes, whatever the time. With `--cluster`,
// `durable` uses a cluster of Restate servers.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

const folder = join(root, 'scripts', 'soak')
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.replace('.mjs', ''))
/** Random tests with the option `--rounds`. */
const counted = ['code-mode', 'durable', 'sessions']
const { values, positionals } = args()
const [name] = positionals
const seconds = Number(values.seconds)
const rounds = values.rounds === undefined ? {} : { rounds: Number(values.rounds) }
const isCounted = values.rounds === undefined || (counted.includes(name) && rounds.rounds > 0)
const { cluster } = values
const isPossible = isCounted && (cluster !== true || name === 'durable')
if (name === undefined || !names.includes(name) || !(seconds > 0) || !isPossible) {
  console.error(
    `usage: npm run soak -- ${names.join('|')} --seconds N [--seed S]; ${counted.join(', ')}: [--rounds N]; durable: [--cluster]`,
  )
  process.exit(2)
}

await setUp()
const { soak } = await import(join(folder, `${name}.mjs`))
const lost = await soak({
  seconds,
  ...rounds,
  cluster,
  seed: values.seed === undefined ? undefined : Number(values.seed),
})
process.exit(lost === 0 ? 0 : 1)

function args() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        seconds: { type: 'string', default: '30' },
        rounds: { type: 'string' },
        cluster: { type: 'boolean' },
        seed: { type: 'string' },
      },
    })
  } catch (error) {
    console.error(error.message)
    return { values: {}, positionals: [] }
  }
}
