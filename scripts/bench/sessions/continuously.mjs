/**
 * All callers call at the same time, each one call after the other without a pause, until the time is over; the calls that
 * run by then are waited for and count. Resolves with the calls a second, the microseconds of the processor and of the
 * clock for each, and the milliseconds that every single one took.
 */
export async function continuously(callers, milliseconds) {
  const latencies = []
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  const until = started + milliseconds
  await Promise.all(
    callers.map(async (call, place) => {
      for (let number = 0; ; number += 1) {
        const before = performance.now()
        if (before >= until && number > 0) return
        await call(`SKU-${place}-${number}`)
        latencies.push(performance.now() - before)
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpuBefore)
  const seconds = (performance.now() - started) / 1_000
  return {
    perSecond: latencies.length / seconds,
    cpu: (user + system) / latencies.length,
    latencies,
  }
}
