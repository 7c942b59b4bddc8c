// `node scripts/restate.mjs [COMMAND ...]`: starts a temporary Restate server on the loopback interface. Runs the command with the addresses in
// RESTATE_URL and RESTATE_ADMIN_URL; without a command, prints the addresses and serves until Ctrl-C or the end of the input. npm installs
// the server the first time. Exits with the code of the command, or with 3 if no server can be started on this machine.
import { once } from 'node:events'
import { NoRestateError, startRestate } from './lib/restate.mjs'
import { run } from './lib/run.mjs'

const command = process.argv.slice(2)
const server = await startRestate().catch((error) => {
  console.error(error.message)
  process.exit(error instanceof NoRestateError ? 3 : 1)
})
// In a terminal, a signal also reaches the command. This process waits for the command, and then stops the server.
const signalled = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)))
process.exitCode = command.length > 0 ? await runCommand() : await serve()
await server.stop()
process.exit()

async function runCommand() {
  const [program, ...args] = command
  const stopped = new AbortController()
  signalled.then(() => stopped.abort())
  const env = { ...process.env, RESTATE_URL: server.url, RESTATE_ADMIN_URL: server.adminUrl }
  return run(program, args, { env, cwd: process.cwd(), signal: stopped.signal })
}

async function serve() {
  console.log(`ingress ${server.url}\nadmin API ${server.adminUrl}`)
  process.stdin.resume()
  await Promise.race([signalled, once(process.stdin, 'end'), once(process.stdin, 'close')])
  return 0
}
