import type { StreamingCall } from './streaming-call.js'

interface Hold {
  readonly promise: Promise<void>
  readonly end: () => void
}

/** The tools that may not go on yet, by their calls. */
export class HeldBack {
  readonly #holds = new Map<StreamingCall, Hold>()

  /** Resolves when the tool may go on. */
  hold(call: StreamingCall): Promise<void> {
    const known = this.#holds.get(call)
    if (known !== undefined) return known.promise
    let end = (): void => undefined
    const promise = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#holds.set(call, { promise, end })
    return promise
  }

  letGo(call: StreamingCall): void {
    this.#holds.get(call)?.end()
    this.#holds.delete(call)
  }

  letAllGo(): void {
    if (this.#holds.size > 0) for (const call of [...this.#holds.keys()]) this.letGo(call)
  }
}
