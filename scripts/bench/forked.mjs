import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Starts a program in a new process.
 *
 * - `message()` resolves with the next message of the process. Rejects if the process ends without a message.
 * - `request(message)` sends a message to the process. Default: `next`.
 * - `stop()` ends the process.
 *
 * @param program URL of the file
 * @param args arguments of the program
 * @param execPath path of the Node executable. Default: the current one
 */
export function forked(program, args, execPath = process.execPath) {
  const child = fork(fileURLToPath(program), args, {
    execPath,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const messages = []
  let errors = ''
  let ended
  let wake = () => {}
  child.on('message', (message) => {
    messages.push(message)
    wake()
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  child.on('close', (code) => {
    ended = new Error(`${program} ${args.join(' ')} ended with ${code}:\n${errors.slice(0, 4000)}`)
    wake()
  })
  return {
    async message() {
      while (messages.length === 0) {
        if (ended !== undefined) throw ended
        await new Promise((resolve) => {
          wake = resolve
        })
      }
      return messages.shift()
    },
    request: (message = 'next') => child.send(message),
    stop: () => child.kill(),
  }
}
