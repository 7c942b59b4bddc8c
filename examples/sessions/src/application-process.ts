import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const APPLICATION = fileURLToPath(new URL('application.js', import.meta.url))

/** A process of the application. */
export interface ApplicationProcess {
  /** Address of the application, for example `http://127.0.0.1:8080`. */
  readonly url: string
  /** Sends SIGTERM, as a deployment does. @returns exit code or signal, as text */
  stop(): Promise<string>
  /** Sends SIGKILL, as in a crash. @returns exit code or signal, as text */
  kill(): Promise<string>
}

/**
 * Starts a process of the application, calls `work` when the process accepts requests, and kills the process afterwards.
 *
 * @param signal kills the process if aborted
 */
export async function withApplication<Result>(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  work: (application: ApplicationProcess) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const child = fork(APPLICATION, { env })
  const ended = once(child, 'close').then(([code, killer]) => (killer === null ? `with code ${code}` : `by ${killer}`))
  const end = (how: NodeJS.Signals): Promise<string> => {
    child.kill(how)
    return ended
  }
  const kill = (): Promise<string> => end('SIGKILL')
  signal.addEventListener('abort', kill)
  try {
    const tooEarly = ended.then((how) => Promise.reject(new Error(`The application has ended ${how}.`)))
    const [{ port }] = await Promise.race([once(child, 'message'), tooEarly])
    return await work({ url: `http://127.0.0.1:${port}`, stop: () => end('SIGTERM'), kill })
  } finally {
    await kill()
    signal.removeEventListener('abort', kill)
  }
}
