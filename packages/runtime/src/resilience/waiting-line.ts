/** Those who wait for their turn, first come first served. Who is cancelled leaves at once. */
export class WaitingLine {
  readonly #turns = new Set<() => void>()

  /** How many wait. */
  get length(): number {
    return this.#turns.size
  }

  /**
   * Waits for the turn, then starts at once.
   *
   * @returns what `start` gave; `undefined` when the signal was aborted first
   */
  wait<Value>(signal: AbortSignal, start: () => Value | Promise<Value>): Promise<Value | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const end = (): void => {
        this.#turns.delete(turn)
        signal.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        end()
        resolve(undefined)
      }
      const turn = (): void => {
        end()
        resolve(start())
      }
      this.#turns.add(turn)
      signal.addEventListener('abort', leave)
    })
  }

  /**
   * Starts the one who has waited longest.
   *
   * @returns whether anybody waited
   */
  callNext(): boolean {
    const [turn] = this.#turns
    turn?.()
    return turn !== undefined
  }
}
