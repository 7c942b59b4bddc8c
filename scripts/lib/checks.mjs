import { node } from './run.mjs'

/** Checks of `npm run check`: a title and the arguments of Node. */
export const checks = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--reporter=summary']],
  ['types, tests included', ['node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'tsconfig.check.json']],
  ['types of the page of the studio', ['node_modules/typescript-7/bin/tsc', '-p', 'packages/studio/client']],
]

/** Check for unused files, exports and dependencies. Only `npm test` runs it. */
export const unusedCode = ['unused files, exports and dependencies', ['node_modules/knip/bin/knip.js']]

/** Runs one check, prints its title, result and time, and resolves with `true` if it passed. */
export async function runCheck([title, args]) {
  console.log(`\n== ${title}`)
  const start = performance.now()
  const code = await node(args)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`== ${title}: ${code === 0 ? 'ok' : `failed (exit code ${code})`} after ${seconds} s`)
  return code === 0
}
