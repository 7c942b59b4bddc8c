import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Forks one of the programs here; `answer` resolves with its next message and rejects when it ends without one. */
export function forked(program, args) {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = fork(path, args, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
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
    async answer() {
      while (messages.length === 0) {
        if (ended !== undefined) throw ended
        await new Promise((resolve) => {
          wake = resolve
        })
      }
      return messages.shift()
    },
    ask: () => child.send('next'),
    stop: () => child.kill(),
  }
}
