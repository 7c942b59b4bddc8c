import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('locker.mjs', import.meta.url))

/** A process that locks directories. */
export class Locker {
  readonly #child: ChildProcess = fork(script, { stdio: 'inherit' })
  readonly #ended: Promise<unknown> = once(this.#child, 'exit')

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Resolves with `locked`, or with the owner of the lock. */
  lock(path: string): Promise<unknown> {
    return this.#ask({ lock: path })
  }

  release(path: string): Promise<unknown> {
    return this.#ask({ release: path })
  }

  /** Ends normally, without releasing locks. */
  async exit(): Promise<void> {
    if (this.#child.connected) this.#child.send({})
    await this.#ended
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  async #ask(request: object): Promise<unknown> {
    const answer = once(this.#child, 'message')
    this.#child.send(request)
    const [message] = await Promise.race([answer, this.#ended.then(() => ['ended'])])
    return message
  }
}
