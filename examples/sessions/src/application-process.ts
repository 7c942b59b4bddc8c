import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const APPLICATION = fileURLToPath(new URL('application.js', import.meta.url))

/** A process of the application. */
export interface ApplicationProcess {
  /** Where it serves, e.g. `http://127.0.0.1:8080`. */
  readonly url: string
  /** Tells it to end, as whoever puts a new version in its place does. @returns how it has ended */
  stop(): Promise<string>
  /** Ends it as a crash does. @returns how it has ended */
  kill(): Promise<string>
}

/**
 * Starts a process of the application, works with it when it serves, and sees to it that it has ended.
 *
 * @param signal kills it
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
