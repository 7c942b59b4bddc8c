// `npm run bench -- tool-search`: tools found for tasks, compared with the tool search of the AI SDK and with BM25. See tool-search/queries.mjs.
import { forked } from './forked.mjs'
import { atLeast, skipped } from './report.mjs'
import { corpora, dataFolder, recallOf } from './tool-search/corpora.mjs'

export const parts = {
  sealtools: '350 tasks of Seal-Tools over 1,355 tools',
  mcp: '50 tasks over the 609 tools of 30 MCP servers',
}

/** Files of the contestants by name. */
const contestants = { toolgen: 'toolgen', 'AI SDK': 'ai-sdk', BM25: 'bm25' }

/** Titles by the `part` of queries. */
const titles = {
  one: 'Seal-Tools, tasks for one tool',
  several: 'Seal-Tools, tasks for 2 to 6 tools',
  mcp: 'MCP, tasks in words of users',
}

/** Searches the tasks with each contestant. The share of found tools does not depend on the machine; times do. */
export async function benchmark({ parts: chosen, quick, log }) {
  const folder = dataFolder()
  if (folder === undefined) {
    const value = skipped('the data folder ../shared/data is absent')
    return chosen.map((part) => ({ case: parts[part], contestant: 'toolgen', value, unit: '% found, first 5' }))
  }
  const rows = []
  for (const part of chosen) {
    const { queries } = corpora[part](folder)
    for (const [contestant, file] of Object.entries(contestants)) {
      log(`${part}: ${contestant} ...`)
      const process = forked(new URL('tool-search/measured-process.mjs', import.meta.url), [
        file,
        part,
        quick ? 'quick' : '',
      ])
      const measured = await process.message()
      process.stop()
      rows.push(...rowsFor({ part, contestant, queries, ...measured }))
    }
  }
  return rows
}

function rowsFor({ part, contestant, queries, found, firstMs, searchMs, indexKib }) {
  const kinds = [...new Set(queries.map((query) => query.part))]
  const shares = kinds.flatMap((kind) =>
    [1, 5].map((count) => {
      const all = queries.flatMap((query, index) => (query.part === kind ? recallOf(query, found[index], count) : []))
      const aims = contestant === 'toolgen' && [atLeast(1, 'AI SDK'), atLeast(1, 'BM25')]
      const value = (100 * all.reduce((sum, share) => sum + share, 0)) / all.length
      return { case: titles[kind], contestant, value, unit: `% found, first ${count}`, ...(aims && { aims }) }
    }),
  )
  const costs = [
    ['first search, with the index', firstMs, 'ms CPU'],
    ['later search', searchMs, 'ms CPU'],
    ['index', indexKib, 'KiB'],
  ]
  return [...shares, ...costs.map(([title, value, unit]) => ({ case: `${part}: ${title}`, contestant, value, unit }))]
}
