// Runs command lines one after the other with the command's own entry, and a stand-in for the process that each would have.
import { EventEmitter } from 'node:events'
import process from 'node:process'
import { Writable } from 'node:stream'
import { parentPort, workerData } from 'node:worker_threads'
import { start } from '../../packages/codegen/dist/cli/entry.js'

const { port, state } = workerData

/**
 * @param both takes what is written as well
 * @returns a stream that is no terminal, and what was written to it
 */
function collector(both) {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      text += chunk
      both.push(chunk)
      done()
    },
  })
  return { stream, text: () => text }
}

/** What the command line does and prints, as if it had a process of its own in the folder. */
function run({ args, cwd, env }) {
  const both = []
  const stdout = collector(both)
  const stderr = collector(both)
  return new Promise((resolve) => {
    const standIn = Object.assign(new EventEmitter(), {
      argv: [process.execPath, 'toolgen', ...args],
      env,
      cwd: () => cwd,
      stdin: process.stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      exitCode: undefined,
      exit: (code) => resolve({ code, stdout: stdout.text(), stderr: stderr.text(), both: both.join('') }),
    })
    process.cwd = standIn.cwd
    process.env = env
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.removeAllListeners(event).on(event, (thrown) => standIn.emit(event, thrown))
    // Help ends without `exit`, as its process would.
    start(standIn).then(() => {
      if (standIn.listenerCount('exit') === 0) standIn.exit(standIn.exitCode ?? 0)
    }, resolve)
  })
}

port.on('message', async (line) => {
  port.postMessage(await run(line))
  Atomics.store(state, 0, 1)
  Atomics.notify(state, 0)
})
parentPort.unref()
