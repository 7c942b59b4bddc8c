// `node scripts/postgres.mjs [COMMAND ...]`: starts a temporary PostgreSQL server of the installed programs on the loopback interface. Runs the
// command with the address in DATABASE_URL; without a command, prints the address and serves until Ctrl-C or the end of the input. Exits with the
// code of the command, or with 3 if no server can be started on this machine.
import { once } from 'node:events'
import { NoPostgresError, startPostgres } from './lib/postgres.mjs'
import { run } from './lib/run.mjs'

const command = process.argv.slice(2)
const server = await startPostgres().catch((error) => {
  console.error(error.message)
  process.exit(error instanceof NoPostgresError ? 3 : 1)
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
  const options = { env: { ...process.env, DATABASE_URL: server.url }, cwd: process.cwd(), signal: stopped.signal }
  return run(program, args, options)
}

async function serve() {
  console.log(server.url)
  process.stdin.resume()
  await Promise.race([signalled, once(process.stdin, 'end'), once(process.stdin, 'close')])
  return 0
}
