import { setTimeout } from 'node:timers/promises'
import { atMost } from '../report.mjs'
import { ProcessEnded } from './contestants.mjs'

/** Number of parallel runs. */
const RUNS = 3

/** Maximum number of kills in a round. A round ends when its runs end. */
const KILLS = 2

/** Maximum milliseconds before and after the effect of a call. */
const CALL_MS = 15

/** Maximum milliseconds after the last restart of a process. A run that takes longer counts as not finished. */
const LIMIT_MS = 180_000

const title = 'runs whose process is killed (SIGKILL) during calls'

/** Kills the process of each contestant during calls, and restarts it. Counts the effects and compares the results. */
export async function crashRows(contestants, query, { rounds, log }) {
  const rows = []
  for (const [index, contestant] of contestants.entries()) {
    log(`${title}: ${contestant.name} ...`)
    const counts = await crashRounds(contestant, query, { rounds, log })
    for (const [unit, value] of Object.entries(counts)) {
      const isAim = index === 0 && ['effects twice', 'effects lost', 'runs not finished'].includes(unit)
      rows.push({ case: title, contestant: contestant.name, value, unit, ...(isAim && { aims: [atMost(0)] }) })
    }
  }
  return rows
}

async function crashRounds(contestant, query, { rounds, log }) {
  const counts = {
    rounds: 0,
    kills: 0,
    runs: 0,
    'effects expected': 0,
    'effects twice': 0,
    'effects lost': 0,
    'calls with an unknown outcome': 0,
    'of which had their effect': 0,
    'runs not finished': 0,
    'runs with another result': 0,
  }
  let serving = await contestant.open({ callMs: CALL_MS })
  let restarted = performance.now()
  const [check] = serving.processes
  await check.request('load', { prefix: 'check', script: 'cancel 0', expected: 'cancel 0' })

  /** Kills the process during a call, restarts it, and resolves when the process accepts requests. Does nothing if the runs end first. */
  const kill = async (ends) => {
    let calls = below(4)
    const hasCalls = new Promise((resolve) => {
      serving.processes[0].on('call', () => {
        calls -= 1
        if (calls < 0) resolve(true)
      })
    })
    if ((await Promise.race([ends, hasCalls])) !== true) return
    if ((await Promise.race([ends, setTimeout(Math.random() * 2 * CALL_MS, true)])) !== true) return
    restarted = Number.POSITIVE_INFINITY
    await serving.processes[0].kill()
    serving = await contestant.open({ callMs: CALL_MS })
    restarted = performance.now()
    counts.kills += 1
  }

  /** Resolves with the text of a run, or with `undefined` if the run does not end in time. */
  const finish = async (handle, script) => {
    let isOver = false
    const limit = async () => {
      while (!isOver && performance.now() < restarted + LIMIT_MS) await setTimeout(100)
    }
    const ask = async () => {
      while (!isOver) {
        try {
          return await serving.processes[0].request('finish', handle, script)
        } catch (error) {
          if (!(error instanceof ProcessEnded)) return `failed: ${error.message}`
          await setTimeout(20)
        }
      }
    }
    const text = await Promise.race([ask(), limit()])
    isOver = true
    return text
  }

  for (let round = 0; round < rounds; round += 1) {
    const scripts = Array.from({ length: RUNS }, (_, run) => randomScript(`${round}.${run}`))
    restarted = performance.now()
    const handles = await Promise.all(
      scripts.map((script, run) => serving.processes[0].request('start', `crash-${round}-${run}`, script)),
    )
    const texts = Promise.all(handles.map((handle, run) => finish(handle, scripts[run])))
    for (let killed = 0; killed < KILLS; killed += 1) await kill(texts)
    const found = await texts
    if (found.includes(undefined)) serving = await contestant.open({ callMs: CALL_MS })
    const { rows } = await query('select effect, count(*)::int from effects where contestant = $1 group by effect', [
      contestant.name,
    ])
    const happened = new Map(rows.map(({ effect, count }) => [effect, count]))
    counts.rounds += 1
    log(`${contestant.name}: round ${counts.rounds} of ${rounds}, ${counts.kills} kills`)
    for (const [run, script] of scripts.entries()) count(counts, callsOf(script), found[run], happened)
  }
  return counts
}

function count(counts, calls, text, happened) {
  counts.runs += 1
  counts['effects expected'] += calls.length
  for (const call of calls) counts['effects twice'] += Math.max(0, (happened.get(call) ?? 0) - 1)
  if (text === undefined) {
    counts['runs not finished'] += 1
    return
  }
  const results = text.split(', ')
  const isUnknown = (index) => results[index] === 'unknown_outcome'
  const unknown = calls.filter((_, index) => isUnknown(index))
  counts['calls with an unknown outcome'] += unknown.length
  counts['of which had their effect'] += unknown.filter((call) => happened.has(call)).length
  // An unknown outcome does not promise that the effect happened.
  counts['effects lost'] += calls.filter((call, index) => !happened.has(call) && !isUnknown(index)).length
  const isSame =
    results.length === calls.length && calls.every((call, index) => results[index] === call || isUnknown(index))
  if (!isSame) counts['runs with another result'] += 1
}

const below = (limit) => Math.floor(Math.random() * limit)

/** Returns a script of two to five steps with one to three calls each. All arguments differ, and start with the name of the run. */
function randomScript(run) {
  let calls = 0
  const call = () => {
    calls += 1
    return `cancel ${run}.${calls}`
  }
  const several = (count, separator, item) => Array.from({ length: count }, item).join(separator)
  return several(2 + below(4), ' | ', () => several(1 + below(3), '; ', call))
}

const callsOf = (script) => script.split(/ \| |; /)
