// `npm run check`: format, lint and types, without tests.
import { checks, runCheck } from './lib/checks.mjs'
import { setUp } from './lib/setup.mjs'

await setUp()
let passed = true
for (const check of checks) passed = (await runCheck(check)) && passed
process.exitCode = passed ? 0 : 1
