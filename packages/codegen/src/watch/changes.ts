import { setTimeout as pause } from 'node:timers/promises'
import { FolderWatch } from './folder-watch.js'
import type { WatchedState } from './watched-state.js'

/** How long nothing may happen before a run begins, in milliseconds: editors write in several steps. */
const quiet = 15

/** How long a run waits for quiet at most. */
const mostUnrest = 500

/** How long a file may be missing that an editor is about to write anew. */
const missing = 100

/**
 * Collects what changes while a run works or nobody asks, and gives it out all at once: however much happened, there is one
 * answer, and one run.
 */
export class Changes {
  readonly #state: WatchedState
  readonly #watch: FolderWatch
  readonly #heard = new Set<string>()
  #wake: () => void = () => {}

  /** @param state what is known of the disk */
  constructor(state: WatchedState) {
    this.#state = state
    this.#watch = new FolderWatch((path) => {
      this.#heard.add(path)
      this.#wake()
    })
  }

  /**
   * Listens where the state now lies. What happened in a folder before it was listened to is looked for.
   *
   * @throws what the operating system refuses
   */
  listen(): void {
    if (this.#watch.watch(this.#state.folders()).length > 0) {
      for (const path of this.#state.paths()) this.#heard.add(path)
    }
  }

  /**
   * Waits for the next real change.
   *
   * @returns the files and folders that changed: absolute; none when the signal ended the wait
   */
  async next(signal: AbortSignal): Promise<readonly string[]> {
    while (!signal.aborted) {
      if (this.#heard.size === 0) await this.#news(signal)
      await this.#settle(signal)
      const changed = this.#take()
      if (changed.length === 0) continue
      if (changed.some((path) => this.#state.isMissing(path))) {
        await rest(missing, signal)
        return [...new Set([...changed, ...this.#take()])]
      }
      return changed
    }
    return []
  }

  close(): void {
    this.#watch.close()
  }

  #take(): readonly string[] {
    this.listen()
    const heard = [...this.#heard]
    this.#heard.clear()
    return this.#state.changed(heard)
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#wake = done
      signal.addEventListener('abort', done)
    })
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const since = performance.now()
    let heard = -1
    while (this.#heard.size !== heard && performance.now() - since < mostUnrest && !signal.aborted) {
      heard = this.#heard.size
      await rest(quiet, signal)
    }
  }
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => {
    // Ended early; who waits looks at the signal.
  })
}
