// Before a package is packed, in its folder: builds all and removes what a build left of sources that are gone, so that neither
// `npm run packages` nor a release can pack what the sources no longer say.
import { node } from '../lib/run.mjs'
import { removeStale } from './stale-files.mjs'

const code = await node(['scripts/build.mjs'])
for (const path of code === 0 ? removeStale(process.cwd()) : []) console.error(`removed ${path}: it has no source`)
process.exit(code)
