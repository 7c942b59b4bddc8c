// `npm run conformance [-- --no-namespace]`: the tool scenarios of the official MCP conformance suite, against serveMcp and
// against httpCaller. The suite listens on all interfaces: it runs in a network namespace of its own.
import { parseArgs } from 'node:util'
import { installSuite } from './conformance/install.mjs'
import { hasNamespaces, inNamespace } from './conformance/namespace.mjs'
import { run } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

const isOpen = openly()
if (!isOpen && !hasNamespaces()) {
  console.error(
    'The suite listens on all interfaces, and no network namespace can be made to keep it apart (it takes Linux, `unshare`\n' +
      'and `ip`). Where nobody else can reach this machine, run it without: npm run conformance -- --no-namespace',
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
