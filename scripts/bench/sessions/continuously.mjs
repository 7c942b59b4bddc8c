/**
 * Runs all callers in parallel until the time is over. Each caller makes one call after the other. The last calls are awaited and counted. Resolves
 * with the calls per second, the CPU microseconds of one call, and the milliseconds of each call.
 */
export async function continuously(callers, milliseconds) {
  const latencies = []
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  const until = started + milliseconds
  await Promise.all(
    callers.map(async (call, index) => {
      for (let number = 0; ; number += 1) {
        const before = performance.now()
        if (before >= until && number > 0) return
        await call(`SKU-${index}-${number}`)
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
