/** The calls of one signal that are under way. */
interface Listening {
  readonly actions: Set<() => void>
  readonly listener: () => void
}

/**
 * Passes the abort of callers' signals on to their calls with one listener per signal, however many calls run: Node
 * warns of a leak at the eleventh. A signal is listened to only while calls of it run.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Listening>()

  /** Runs `action` when `signal` is aborted. What is returned takes that back. */
  add(signal: AbortSignal, action: () => void): () => void {
    const { actions, listener } = this.#bySignal.get(signal) ?? this.#listen(signal)
    actions.add(action)
    return () => {
      actions.delete(action)
      if (actions.size > 0 || this.#bySignal.get(signal)?.actions !== actions) return
      this.#bySignal.delete(signal)
      signal.removeEventListener('abort', listener)
    }
  }

  #listen(signal: AbortSignal): Listening {
    const actions = new Set<() => void>()
    const listener = (): void => {
      for (const action of [...actions]) action()
    }
    const listening = { actions, listener }
    this.#bySignal.set(signal, listening)
    signal.addEventListener('abort', listener)
    return listening
  }
}
