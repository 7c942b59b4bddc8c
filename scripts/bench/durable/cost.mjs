/** Number of calls of the run whose calls are timed. */
const CALLS = 50

/** Number of runs at the same time. */
const PARALLEL = 16

const script = 'cancel 1; cancel 2 | cancel 3'
const expected = 'cancel 1, cancel 2, cancel 3'
const longCalls = Array.from({ length: CALLS }, (_, index) => `cancel ${index}`)
const long = { script: longCalls.join(' | '), expected: longCalls.join(', ') }

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Measures runs without crashes, whose calls take no time. Contestants alternate; figures are medians. */
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
  const [first] = processes
  const request = (type, each, options) => first.request(type, { prefix: `${prefix}-${each}`, ...options })
  // The first runs compile the code.
  await request('load', 'warm', { script, expected, count: quick ? 2 : 20, parallel: PARALLEL })
  found.one.push(await runsPerSecond(processes, `${prefix}-one`, quick))
  const count = quick ? 1 : 5
  found.long.push(...(await request('times', 'long', { ...long, count, isPlain: false })))
  if (hasPlain) found.plain.push(...(await request('times', 'plain', { ...long, count, isPlain: true })))
  found.approval.push(...(await request('approvals', 'approval', { count: quick ? 1 : 10 })))
  const several = await contestant.open({}, 3)
  const warm = several.processes.map((each, index) =>
    each.request('load', {
      prefix: `${prefix}-warm-${index}`,
      script,
      expected,
      count: quick ? 2 : 10,
      parallel: PARALLEL,
    }),
  )
  await Promise.all(warm)
  found.three.push(await runsPerSecond(several.processes, `${prefix}-three`, quick))
}

async function runsPerSecond(processes, prefix, quick) {
  const count = Math.ceil((quick ? 6 : 150) / processes.length)
  const parallel = Math.ceil(PARALLEL / processes.length)
  const started = performance.now()
  await Promise.all(
    processes.map((each, index) =>
      each.request('load', { prefix: `${prefix}-${index}`, script, expected, count, parallel }),
    ),
  )
  return (count * processes.length * 1000) / (performance.now() - started)
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
