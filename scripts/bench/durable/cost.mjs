/** Number of calls of the run whose calls are timed. */
const CALLS = 50

/** Number of parallel runs. */
const PARALLEL = 16

/** Duration of the measured runs, and of the warm-up, in milliseconds. */
const LOAD_MS = 8_000
const WARM_MS = 3_000

const script = 'cancel 1; cancel 2 | cancel 3'
const expected = 'cancel 1, cancel 2, cancel 3'
const longCalls = Array.from({ length: CALLS }, (_, index) => `cancel ${index}`)
const long = { script: longCalls.join(' | '), expected: longCalls.join(', ') }

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Measures runs without crashes, whose calls take no time. Contestants alternate. The values are medians. */
export async function costRows(contestants, { quick, log }) {
  const found = new Map(
    contestants.map((contestant) => [contestant, { one: [], three: [], long: [], plain: [], approval: [] }]),
  )
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    for (const contestant of contestants) {
      log(`costs, round ${round + 1}: ${contestant.name} ...`)
      await measure(contestant, found.get(contestant), `cost-${round}`, quick)
    }
  }
  return contestants.flatMap((contestant) => rowsOf(contestant.name, found.get(contestant)))
}

async function measure(contestant, found, prefix, quick) {
  const { processes, hasPlain } = await contestant.open({})
  found.one.push(await runsPerSecond(processes, `${prefix}-one`, quick))
  const request = (type, each, options) => processes[0].request(type, { prefix: `${prefix}-${each}`, ...options })
  const count = quick ? 1 : 3
  found.long.push(...(await request('times', 'long', { ...long, count, isPlain: false })))
  if (hasPlain) found.plain.push(...(await request('times', 'plain', { ...long, count, isPlain: true })))
  found.approval.push(...(await request('approvals', 'approval', { count: quick ? 1 : 10 })))
  const several = await contestant.open({}, 3)
  found.three.push(await runsPerSecond(several.processes, `${prefix}-three`, quick))
}

/** Returns the runs per second of several processes together, after a warm-up. */
async function runsPerSecond(processes, prefix, quick) {
  const parallel = Math.ceil(PARALLEL / processes.length)
  const load = async (phase, milliseconds) => {
    const rates = await Promise.all(
      processes.map((each, index) =>
        each.request('load', { prefix: `${prefix}-${phase}-${index}`, script, expected, milliseconds, parallel }),
      ),
    )
    return rates.reduce((sum, rate) => sum + rate)
  }
  await load('warm', quick ? 0 : WARM_MS)
  return load('load', quick ? 0 : LOAD_MS)
}

function rowsOf(contestant, { one, three, long: durable, plain, approval }) {
  const rows = [
    { case: 'runs of two steps with three calls, one worker', value: median(one), unit: 'runs/s' },
    { case: 'the same, three workers on the same machine', value: median(three), unit: 'runs/s' },
    { case: 'approval of a call: from the answer to the end of the run', value: median(approval), unit: 'ms p50' },
    { case: `run of ${CALLS} calls, one per step: time per call`, value: median(durable) / CALLS, unit: 'ms p50' },
  ]
  if (plain.length > 0) {
    const inProcess = median(plain) / CALLS
    rows.push(
      { case: 'the same agent without the engine', value: inProcess, unit: 'ms p50' },
      { case: 'cost of the engine per call', value: median(durable) / CALLS - inProcess, unit: 'ms p50' },
    )
  }
  return rows.map((row) => ({ contestant, ...row }))
}
