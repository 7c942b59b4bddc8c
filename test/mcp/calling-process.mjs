// Starts a server that does not want to end, says which process it is, and stays; with an argument it has work of its own to do
// when it is ended.
import { fileURLToPath } from 'node:url'
import { stdioCaller } from '@toolgen/runtime/mcp'

const script = fileURLToPath(new URL('./fault-server.mjs', import.meta.url))
if (process.argv.length > 2) {
  process.once('SIGTERM', () => setTimeout(() => process.stdout.write('work done', () => process.exit(5)), 20))
}
const caller = stdioCaller({ command: process.execPath, args: [script], env: { STUBBORN: '1' } })
const { signal } = new AbortController()
const { content } = await caller.callTool({ name: 'process', arguments: {} }, { signal })
console.log(content[0].text)
setInterval(() => undefined, 1_000)
