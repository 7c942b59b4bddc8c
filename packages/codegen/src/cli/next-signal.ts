import process from 'node:process'

/** The first of these signals ends what a command does; a second one ends the process at once, as it does everywhere. */
export function nextSignal(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    const hear = (): void => {
      resolve()
      // Not at once: libraries that end child processes look whether somebody else listens, and else end the process.
      setImmediate(() => {
        for (const signal of signals) process.off(signal, hear)
      })
    }
    for (const signal of signals) process.on(signal, hear)
  })
}
