import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { toolgen } from './workspace.mjs'

/** Starts `toolgen generate --watch --json` in a folder. `run()` resolves with the report of the next run. */
export function startWatch(cwd) {
  const child = spawn(process.execPath, [toolgen, 'generate', '--watch', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const onLinux = (read) => (process.platform === 'linux' ? read(child.pid) : undefined)
  return {
    async run() {
      const { value, done } = await lines.next()
      if (done) throw new Error('toolgen generate --watch ended')
      return JSON.parse(value)
    },
    /** CPU time since the start in seconds, to a hundredth of a second. `undefined` except on Linux. */
    cpu: () => onLinux(cpuOf),
    /** Memory in MiB; `undefined` except on Linux. */
    memory: () => onLinux(memoryOf),
    end: () =>
      new Promise((resolve) => {
        child.on('exit', resolve)
        child.kill('SIGTERM')
      }),
  }
}

function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function memoryOf(pid) {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
