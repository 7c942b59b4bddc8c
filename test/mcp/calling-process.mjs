// Starts a server that does not want to end, says which process it is, and stays. With `works` it has work of its own to do when
// it is ended; with `waits` a library listens beside it that waits for whoever else listens.
import { fileURLToPath } from 'node:url'
import { stdioCaller } from '@toolgen/runtime/mcp'

const script = fileURLToPath(new URL('./fault-server.mjs', import.meta.url))
if (process.argv[2] === 'works') {
  process.once('SIGTERM', () => setTimeout(() => process.stdout.write('work done', () => process.exit(5)), 20))
}
if (process.argv[2] === 'waits') {
  // As `signal-exit` does it, of which most programs have a copy somewhere below them.
  const emitter = { count: 1 }
  globalThis[Symbol.for('signal-exit emitter')] = emitter
  const listener = () => {
    if (process.listenerCount('SIGTERM') > emitter.count) return
    process.off('SIGTERM', listener)
    process.kill(process.pid, 'SIGTERM')
  }
  process.on('SIGTERM', listener)
}
const caller = stdioCaller({ command: process.execPath, args: [script], env: { STUBBORN: '1' } })
const { signal } = new AbortController()
const { content } = await caller.callTool({ name: 'process', arguments: {} }, { signal })
console.log(content[0].text)
setInterval(() => undefined, 1_000)
