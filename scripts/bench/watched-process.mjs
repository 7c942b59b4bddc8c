import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Starts `toolgen generate --watch --json`; `run()` waits for the next run's report. */
export function startWatch(toolgen, cwd) {
  const child = spawn(process.execPath, [toolgen, 'generate', '--watch', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async run() {
      const { value, done } = await lines.next()
      if (done) throw new Error('the watching ended')
      return JSON.parse(value)
    },
    /** The processor time that it has used, in seconds; to a hundredth. Known on Linux alone. */
    cpu: () => (process.platform === 'linux' ? cpuOf(child.pid) : Number.NaN),
    /** Its memory, in MiB. Known on Linux alone. */
    memory: () => (process.platform === 'linux' ? memoryOf(child.pid) : Number.NaN),
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
