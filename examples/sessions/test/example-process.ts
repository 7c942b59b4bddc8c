import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const example = join(import.meta.dirname, '..')
const application = join(example, 'dist/src/application.js')

/** What Node is given to run the compiled example. */
export const MAIN = 'dist/src/main.js'

/** V8 does not optimize the embedded database: that would take longer than the tests use it. */
const quick = '--liftoff-only'

/** Runs Node in the folder of the example until it ends. */
export function node(args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [quick, ...args], { cwd: example, env, encoding: 'utf8' })
}

/** Starts the example and waits until it has said this. @returns ends it by a signal, and says how it has ended */
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

/** What the example may leave behind: processes of the application, and folders. */
export function left(): { readonly processes: number; readonly folders: readonly string[] } {
  const { stdout } = spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
  return {
    processes: stdout.split('\n').filter((line) => line.includes(application)).length,
    folders: readdirSync(tmpdir()).filter((name) => name.startsWith('toolgen-sessions-')),
  }
}
