// `npm run bench -- tool-search`: tools found for tasks, compared with the tool search of the AI SDK and with BM25. See tool-search/queries.mjs.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { forked } from './forked.mjs'
import { atLeast, below, skipped, wrong } from './report.mjs'
import { indexModule } from './tool-search/contestants/toolgen.mjs'
import { corpora, dataFolder, recallOf } from './tool-search/corpora.mjs'

export const parts = {
  sealtools: '350 tasks of Seal-Tools over 1,355 tools',
  mcp: '50 tasks over the 609 tools of 30 MCP servers',
}

/** Contestant that loads a search index of `toolgen generate`. Only its costs are reported: it must find the same tools. */
const stored = 'toolgen, generated index'

/** Files of the contestants by name. */
const contestants = { toolgen: 'toolgen', [stored]: 'toolgen', 'AI SDK': 'ai-sdk', BM25: 'bm25' }

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
  const scratch = mkdtempSync(join(tmpdir(), 'toolgen-bench-'))
  try {
    const rows = []
    for (const part of chosen) {
      const { tools, queries } = corpora[part](folder)
      const index = join(scratch, `${part}.mjs`)
      writeFileSync(index, indexModule(tools))
      let built
      for (const [contestant, file] of Object.entries(contestants)) {
        log(`${part}: ${contestant} ...`)
        const args = [file, part, quick ? 'quick' : '', ...(contestant === stored ? [pathToFileURL(index).href] : [])]
        const process = forked(new URL('tool-search/measured-process.mjs', import.meta.url), args)
        const measured = await process.message()
        process.stop()
        built ??= measured
        rows.push(...rowsFor({ part, contestant, queries, built, fileKib: statSync(index).size / 1024, ...measured }))
      }
    }
    return rows
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function rowsFor({ part, contestant, queries, built, found, firstMs, searchMs, indexKib, fileKib }) {
  if (contestant === stored) return storedRows({ part, built, found, firstMs, fileKib })
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

function storedRows({ part, built, found, firstMs, fileKib }) {
  const isSame = JSON.stringify(found) === JSON.stringify(built.found)
  const value = isSame ? firstMs : wrong('other tools than without the index')
  return [
    {
      case: `${part}: first search, with the index`,
      contestant: stored,
      value,
      unit: 'ms CPU',
      aims: [below(0.6, 'toolgen')],
    },
    { case: `${part}: file of the index`, contestant: stored, value: fileKib, unit: 'KiB' },
  ]
}
