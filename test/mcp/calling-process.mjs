// Starts a server that does not want to end, says which process it is, and stays.
import { fileURLToPath } from 'node:url'
import { stdioCaller } from '@toolgen/runtime/mcp'

const script = fileURLToPath(new URL('./fault-server.mjs', import.meta.url))
const caller = stdioCaller({ command: process.execPath, args: [script], env: { STUBBORN: '1' } })
const { signal } = new AbortController()
const { content } = await caller.callTool({ name: 'process', arguments: {} }, { signal })
console.log(content[0].text)
setInterval(() => undefined, 1_000)
