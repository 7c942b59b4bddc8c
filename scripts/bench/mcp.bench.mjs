// `npm run bench -- mcp`: calls of a tool over Streamable HTTP, compared with two other MCP servers. See mcp/README.md.
import { forked } from './forked.mjs'
import { installPeers } from './install-peers.mjs'
import { compileReport } from './mcp/generated-report.mjs'
import { measuredCalls, openClients, protocols } from './mcp/load.mjs'
import { atMost } from './report.mjs'
import { withFolder } from './workspace.mjs'

export const parts = {
  '1kb': 'results of 1 KB',
  '100kb': 'results of 100 KB',
}

/** Number of rows in the tool result, and number of calls per process, for each case. */
const sizes = { '1kb': { rows: 8, calls: 400 }, '100kb': { rows: 800, calls: 80 } }

const concurrency = [1, 64]
const ROUNDS = 3

/** Measures each contestant in several alternating processes. Throws if a contestant returns a wrong result. */
export async function benchmark({ parts: chosen, quick, log }) {
  const { contestants: peers } = await installPeers('mcp')
  const own = new URL('mcp/toolgen.mjs', import.meta.url).href
  return withFolder('scripts/bench/.mcp', async (folder) => {
    compileReport(folder)
    const measured = new Map()
    for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
      for (const url of [own, ...peers]) {
        const child = forked(new URL('mcp/contestant-process.mjs', import.meta.url), [url])
        try {
          const contestant = await child.message()
          log(`round ${round + 1}: ${contestant.name} ...`)
          for (const { title, figures } of await measureProcess(child, contestant, chosen, quick)) {
            const key = JSON.stringify([title, contestant.name])
            measured.set(key, [...(measured.get(key) ?? []), figures])
          }
        } finally {
          child.stop()
        }
      }
    }
    return [...measured].flatMap(([key, all]) => rowsFor(...JSON.parse(key), all)).sort(byCase)
  })
}

async function measureProcess(child, contestant, chosen, quick) {
  const cpu = async () => {
    child.request()
    return child.message()
  }
  const results = []
  for (const protocol of protocols.filter((each) => contestant.protocols.includes(each))) {
    for (const part of chosen) {
      const { rows, calls } = sizes[part]
      for (const clients of concurrency) {
        const open = await openClients(contestant.url, protocol, clients)
        const measure = (count) => measuredCalls(open, rows, count)
        await measure(quick ? clients : Math.ceil(calls / 3))
        const before = await cpu()
        const { latencies, seconds } = await measure(quick ? clients : calls)
        const used = (await cpu()) - before
        open.close()
        const sorted = latencies.sort((a, b) => a - b)
        const rank = (share) => sorted[Math.ceil(share * sorted.length) - 1]
        results.push({
          title: `${protocol}, ${parts[part]}, ${clients} client${clients === 1 ? '' : 's'}`,
          figures: {
            cpuMs: used / sorted.length,
            perSecond: sorted.length / seconds,
            p50: rank(0.5),
            p99: rank(0.99),
          },
        })
      }
    }
  }
  return results
}

const units = { cpuMs: 'ms CPU per call', perSecond: 'calls/s', p50: 'ms, median', p99: 'ms, p99' }

/** Uses the best measurement, because other processes of the machine can only make a measurement slower. */
function rowsFor(title, contestant, all) {
  const isOwn = contestant.startsWith('toolgen')
  return Object.entries(units).map(([figure, unit]) => {
    const values = all.map((each) => each[figure])
    const value = figure === 'perSecond' ? Math.max(...values) : Math.min(...values)
    return {
      ...{ case: title, contestant, value, unit, against: BARE },
      ...(isOwn && figure === 'cpuMs' && { aims: [atMost(1.1, BARE)] }),
    }
  })
}

/** The contestant without validation. */
const BARE = 'SDK 2'

const byCase = (a, b) => (a.case === b.case ? 0 : a.case < b.case ? -1 : 1)
