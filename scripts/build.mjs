// `npm run build`: compiles the packages, then bundles the `toolgen` command.
import { bundle } from './lib/bundle.mjs'
import { node } from './lib/run.mjs'

const code = await node(['node_modules/typescript-7/bin/tsc', '-b'])
if (code === 0) await bundle()
process.exitCode = code
