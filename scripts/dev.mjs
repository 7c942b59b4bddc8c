// `npm run dev`: builds the packages again on every save, until Ctrl+C.
import { node } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

await setUp()
process.exitCode = await node(['node_modules/typescript-7/bin/tsc', '-b', '--watch', '--preserveWatchOutput'])
