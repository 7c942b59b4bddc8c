/** How often it is looked whose turn it is, in milliseconds. */
const TICK = 5

/**
 * Calls come at a steady rate, whether those before have ended or not, from the callers by turns; one that has a call under
 * way makes the next when that is over. `measure` is given the moment that the call should have begun: a machine that is
 * late counts.
 *
 * @param measure makes one call: (caller, sku, due) => what is measured
 */
export async function paced(callers, { perSecond, milliseconds, measure }) {
  const free = callers.map(() => Promise.resolve())
  const measured = []
  const started = performance.now()
  const total = Math.ceil((milliseconds / 1_000) * perSecond)
  for (let number = 0; number < total; ) {
    for (const elapsed = performance.now() - started; number < total && dueAt(number) <= elapsed; number += 1) {
      const [place, due, sku] = [number % callers.length, started + dueAt(number), `SKU-${number}`]
      const ended = free[place].then(() => measure(callers[place], sku, due))
      free[place] = ended
      measured.push(ended)
    }
    await new Promise((resolve) => setTimeout(resolve, TICK))
  }
  return Promise.all(measured)

  function dueAt(number) {
    return (number / perSecond) * 1_000
  }
}
