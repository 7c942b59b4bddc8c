import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const example = join(import.meta.dirname, '..')
const application = join(example, 'dist/src/application.js')

/** Path of the compiled example. */
export const MAIN = 'dist/src/main.js'

/** Disables the optimizing compiler of V8: optimization of the embedded database takes longer than the tests. */
const quick = '--liftoff-only'

/** Runs Node in the folder of the example until it ends. */
export function node(args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [quick, ...args], { cwd: example, env, encoding: 'utf8' })
}

/** Starts the example and waits for a text in its output. Returns a function that sends a signal and resolves with the exit code. */
export async function startedUntil(said: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [quick, MAIN], { cwd: example, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const isSaid = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      if (text.includes(said)) resolve()
    })
  })
  await Promise.race([isSaid, ended.then(() => Promise.reject(new Error(`It has ended too early: ${errors}`)))])
  return async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [code] = await ended
    return { code, errors }
  }
}

/** Returns what the example has left behind: running processes of the application, and folders. */
export function left(): { readonly processes: number; readonly folders: readonly string[] } {
  const { stdout } = spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
  return {
    processes: stdout.split('\n').filter((line) => line.includes(application)).length,
    folders: readdirSync(tmpdir()).filter((name) => name.startsWith('toolgen-sessions-')),
  }
}
