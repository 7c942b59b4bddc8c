// Runs in the folder of a package before the package is packed. Builds all packages and removes output of deleted source files, so that neither
// `npm run packages` nor a release contains it.
import { node } from '../lib/run.mjs'
import { removeStale } from './stale-files.mjs'

const code = await node(['scripts/build.mjs'])
for (const path of code === 0 ? removeStale(process.cwd()) : []) console.error(`removed ${path}: no source file`)
process.exit(code)
