/** Interval in milliseconds between checks for due calls. */
const TICK = 5

/**
 * Makes calls at a constant rate with alternating callers, even while earlier calls run. A caller with a running call makes its next call afterwards.
 * `measure` receives the time when the call was due, so that the measurement includes delays of the machine.
 */
export async function paced(callers, { perSecond, milliseconds, measure }) {
  const idle = callers.map(() => Promise.resolve())
  const measured = []
  const started = performance.now()
  const total = Math.ceil((milliseconds / 1_000) * perSecond)
  for (let number = 0; number < total; ) {
    for (const elapsed = performance.now() - started; number < total && dueAt(number) <= elapsed; number += 1) {
      const [index, due, sku] = [number % callers.length, started + dueAt(number), `SKU-${number}`]
      const ended = idle[index].then(() => measure(callers[index], sku, due))
      idle[index] = ended
      measured.push(ended)
    }
    await new Promise((resolve) => setTimeout(resolve, TICK))
  }
  return Promise.all(measured)

  function dueAt(number) {
    return (number / perSecond) * 1_000
  }
}
