// `npm run conformance [-- --no-namespace]`: runs the official MCP conformance suites against serveMcp and httpCaller. The suites listen on all
// network interfaces, so they run in their own network namespace.
import { parseArgs } from 'node:util'
import { installSuite } from './conformance/install.mjs'
import { hasNamespaces, inNamespace } from './conformance/namespace.mjs'
import { run } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

const isOpen = openly()
if (!isOpen && !hasNamespaces()) {
  console.error(
    'The suite listens on all network interfaces. A network namespace would isolate it, but this needs Linux, `unshare` and `ip`.\n' +
      'If no other machine can reach this one, run the suite without a namespace: npm run conformance -- --no-namespace',
  )
  process.exit(2)
}

await setUp()
const suite = await installSuite().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
const rounds = [process.execPath, ['scripts/conformance/rounds.mjs', JSON.stringify(suite)]]
process.exitCode = await run(...(isOpen ? rounds : inNamespace(...rounds)))

function openly() {
  try {
    return parseArgs({ options: { 'no-namespace': { type: 'boolean', default: false } } }).values['no-namespace']
  } catch (error) {
    console.error(`${error.message}\nusage: npm run conformance [-- --no-namespace]`)
    process.exit(2)
  }
}
