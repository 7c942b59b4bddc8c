// `npm run bench -- NAME [options]`: runs a benchmark of scripts/bench. `--help` lists the options of each benchmark.
import { main } from './bench/command.mjs'
import { setUp } from './lib/setup.mjs'

process.exitCode = await main(process.argv.slice(2), { setUp })
