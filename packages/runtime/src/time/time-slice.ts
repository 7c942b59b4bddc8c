/** How long one side may keep the event loop to itself, in milliseconds. */
const SLICE_MS = 10

/**
 * Gives way to timers and signals from time to time, for loops that wait for nothing but promises that are resolved
 * already: those would keep the event loop for ever.
 */
export class TimeSlice {
  #began = performance.now()

  /** Resolves when the event loop has turned; `undefined` as long as there is time left. */
  turn(): Promise<void> | undefined {
    if (performance.now() - this.#began < SLICE_MS) return undefined
    return eventLoopTurn().then(() => {
      this.#began = performance.now()
    })
  }
}

/** Not a timer, of which the shortest takes a millisecond. */
function eventLoopTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}
