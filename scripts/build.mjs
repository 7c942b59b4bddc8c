// `npm run build`: compiles the packages, then bundles the `toolgen` command and the page of the studio.
import { bundle, bundlePage } from './lib/bundle.mjs'
import { node } from './lib/run.mjs'

const code = await node(['node_modules/typescript-7/bin/tsc', '-b'])
if (code === 0) {
  await bundle()
  await bundlePage()
}
process.exitCode = code
