import { quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { testModule } from '../../lib/test-module.mjs'
import { forked } from '../forked.mjs'
import { installPeers } from '../install-peers.mjs'
import { atMost, below, least, skipped } from '../report.mjs'
import { PEERS_NODE } from './mutations.mjs'

const program = new URL('./contestant-process.mjs', import.meta.url)
const own = new URL('./toolgen.mjs', import.meta.url).href

/** Measures the duration of the check, of the start of programs, and of their calls. */
export async function speedRows({ quick, log }) {
  return [...(await checkRows(quick)), ...(await startRows(quick)), ...(await programRows(quick, log))]
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Returns the median duration of `work`, after warm-up runs. */
async function medianTime(work, quick) {
  const times = []
  for (let round = 0; round < (quick ? 3 : 80); round += 1) {
    const started = performance.now()
    await work(round)
    times.push(performance.now() - started)
  }
  return median(times.slice(quick ? 0 : 20))
}

async function checkRows(quick) {
  const { mcpDeclarations } = await testModule('code-mode/plans/mcp-tools.ts')
  const { dataFolder } = await testModule('data.ts')
  const folder = dataFolder()
  const rows = []
  for (const count of [24, 300, 609]) {
    const row = { case: `check of a program of 30 lines, ${count} tools`, contestant: 'toolgen', unit: 'ms p50' }
    if (folder === undefined) {
      rows.push({ ...row, value: skipped('no data folder') })
      continue
    }
    const { text, code } = mcpDeclarations(folder, count)
    const checker = typescriptChecker()
    try {
      const check = async (round) => {
        const checked = await checker.check(text, code(round))
        if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
      }
      const started = performance.now()
      await check(0)
      rows.push({ ...row, case: `first check, ${count} tools`, value: performance.now() - started, unit: 'ms' })
      rows.push({ ...row, value: await medianTime(check, quick), aims: [atMost(35)] })
    } finally {
      await checker.close()
    }
  }
  return rows
}

async function startRows(quick) {
  const limits = {
    computeMs: 2_000,
    totalMs: 60_000,
    calls: 256,
    parallel: 32,
    logCharacters: 1_000,
    resultCharacters: 1_000,
  }
  const sandbox = quickJsSandbox()
  const names = Array.from({ length: 24 }, (_, at) => `bench.step${at}`)
  const start = async () => {
    const request = { javascript: 'async function program() { return 1 }', paths: names, now: 0, seed: 1, limits }
    const outcome = await sandbox.run(request, async () => ({ ok: true, json: 'null' }))
    if (outcome.json !== '1') throw new Error(JSON.stringify(outcome))
  }
  try {
    const value = await medianTime(start, quick)
    const title = 'warm program in the sandbox, 24 tools, no call'
    return [{ case: title, contestant: 'toolgen', value, unit: 'ms p50', aims: [atMost(5)] }]
  } finally {
    await sandbox.close()
  }
}

/** Number of calls of the programs that measure the cost per call. The default limit of a peer is 256 calls. */
const many = 200
const works = {
  empty: { work: 'empty', count: 0 },
  sequential50: { work: 'sequential', count: 50 },
  parallel50: { work: 'parallel', count: 50 },
  waiting20: { work: 'parallel', count: 20, waitMs: 5 },
  // Programs without calls, whose check and start cost the same.
  sequential0: { work: 'sequential', count: 0 },
  parallel0: { work: 'parallel', count: 0 },
  sequentialMany: { work: 'sequential', count: many },
  parallelMany: { work: 'parallel', count: many },
  directMany: { work: 'direct', count: many },
}

async function programRows(quick, log) {
  const { node, contestants } = await installPeers('code-mode', PEERS_NODE)
  const started = [[own, process.execPath], [own, node], ...contestants.map((url) => [url, node])]
  const running = []
  try {
    for (const [url, execPath] of started) {
      const each = forked(program, [url], execPath)
      running.push({ each, times: Object.fromEntries(Object.keys(works).map((key) => [key, []])) })
      Object.assign(running.at(-1), await each.message())
    }
    log(`alternating: ${running.map(({ name }) => name).join(', ')} ...`)
    // The first round is a warm-up.
    for (let round = 0; round < (quick ? 1 : 9); round += 1) {
      for (const { each, times } of round % 2 === 0 ? running : running.toReversed()) {
        for (const [key, work] of Object.entries(works)) {
          each.request({ type: 'time', ...work, rounds: quick ? 2 : 10 })
          const { result, error } = await each.message()
          if (error) throw new Error(error)
          if (quick || round > 0) times[key].push(...result)
        }
      }
    }
  } finally {
    for (const { each } of running) each.stop()
  }
  return measurements(running)
}

function measurements(running) {
  const medians = running.map(({ name, times }) => ({
    name,
    values: Object.fromEntries(Object.entries(times).map(([key, list]) => [key, median(list)])),
  }))
  const perCall = (all, none, { directMany }) => (all - none - directMany) / many
  const cases = [
    { title: 'program without calls, check included', of: ({ empty }) => empty },
    { title: 'program with 50 calls, one after the other', of: ({ sequential50 }) => sequential50, isCompared: true },
    { title: 'program with 50 parallel calls', of: ({ parallel50 }) => parallel50, isCompared: true },
    { title: 'program with 20 parallel calls of 5 ms', of: ({ waiting20 }) => waiting20, isCompared: true },
    {
      title: '50 calls, one after the other, without check and start',
      of: ({ sequential50, sequential0 }) => sequential50 - sequential0,
    },
    {
      title: 'cost of a sequential call over a direct one',
      of: (values) => perCall(values.sequentialMany, values.sequential0, values),
      limit: 0.25,
    },
    {
      title: 'cost of a parallel call over a direct one',
      of: (values) => perCall(values.parallelMany, values.parallel0, values),
      limit: 0.12,
    },
  ]
  return cases.flatMap(({ title, of, limit, isCompared }) => {
    const rows = medians.map(({ name, values }) => ({
      case: title,
      contestant: name,
      value: of(values),
      unit: 'ms p50',
    }))
    const isOwn = ({ contestant }) => contestant.startsWith('toolgen')
    const { contestant: against } = least(rows.filter((row) => !isOwn(row)))
    const aims = [isCompared ? below(1, against) : undefined, limit === undefined ? undefined : atMost(limit)]
    return rows.map((row) => ({ ...row, against, aims: isOwn(row) ? aims : [] }))
  })
}
