// `npm run bench -- data-flow`: counts the findings of the lint rule `data-flow` for pairs of captured MCP servers, with the labels that
// `toolgen import mcp` suggests, and compares them with judgements of people. See README.md.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { skipped } from './report.mjs'
import { dataFolder } from './tool-search/corpora.mjs'
import { runNode, toolgen, withFolder } from './workspace.mjs'

export const parts = {
  pairs: 'all pairs of the captured MCP servers',
  judged: 'pairs that were judged by hand: false positives and false negatives',
}

/** Imports all servers into one design with an agent for each pair, and counts the findings. The counts are the same on every machine. */
export async function benchmark({ parts: chosen, log }) {
  const folder = dataFolder()
  if (folder === undefined) {
    const value = skipped('the data folder ../shared/data is absent')
    return chosen.map((part) => ({ case: parts[part], contestant: 'toolgen', value, unit: '%' }))
  }
  const servers = readdirSync(join(folder, 'mcp'))
    .sort()
    .map((file) => file.replace(/\.json$/, ''))
  const pairs = await withFolder('scripts/bench/.out-data-flow', (project) => findings(project, folder, servers, log))
  return { measurements: chosen.flatMap((part) => measurements[part](pairs)), details: pairs }
}

const measurements = {
  pairs(pairs) {
    const found = pairs.filter(({ finding }) => finding)
    const combined = found.filter(({ alone }) => alone.length === 0)
    const title = `${pairs.length} pairs of MCP servers`
    return [
      measurement(title, 'pairs with a finding', found.length, pairs.length),
      measurement(title, 'pairs with a finding, but none for a single server', combined.length, pairs.length),
    ]
  },
  judged(pairs) {
    return [...new Set(judgements.map(({ part }) => part))].flatMap((part) => {
      const judged = pairs.filter((pair) => pair.judged?.part === part)
      const [risks, safe] = ['risk', 'safe'].map((verdict) => judged.filter((pair) => pair.judged.verdict === verdict))
      const wrongly = safe.filter(({ finding }) => finding)
      const missed = risks.filter(({ finding }) => !finding)
      const title = `${judged.length} judged pairs, ${part}`
      return [
        measurement(title, `false positives of ${safe.length} safe pairs`, wrongly.length, safe.length),
        measurement(title, `false negatives of ${risks.length} pairs with a risk`, missed.length, risks.length),
      ]
    })
  },
}

function measurement(title, contestant, count, total) {
  return { case: title, contestant, value: Math.round((1000 * count) / total) / 10, unit: '%' }
}

/** Judgements of people about pairs: `{ part, one, other, verdict, reason }`. */
const judgements = csvRows(readFileSync(new URL('data-flow/judged.csv', import.meta.url), 'utf8'))

function csvRows(text) {
  const [names, ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))
}

async function findings(project, folder, servers, log) {
  for (const [path, text] of Object.entries(designFiles(servers))) {
    mkdirSync(join(project, path, '..'), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  for (const [index, server] of servers.entries()) {
    const from = join(folder, 'mcp', `${server}.json`)
    runNode([toolgen, 'import', 'mcp', `s${index}`, '--from', from], { cwd: project })
  }
  log(`${servers.length} servers imported`)
  const { lint } = await import('@toolgen/codegen')
  const { diagnostics } = await lint({ cwd: project, rules: ['data-flow'], vendors: [] })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors.map(({ code, message }) => `${code}: ${message}`).join('\n'))
  const found = new Map(
    diagnostics
      .filter(({ code }) => code === 'TG8326')
      .map(({ message, related = [] }) => [/`(\w+)`/.exec(message)[1], related.map((fact) => fact.message)]),
  )
  return pairsOf(servers).map(({ name, indexes }) => {
    const [one, other] = indexes.map((index) => servers[index])
    const judged = judgements.find((each) => [one, other].every((server) => [each.one, each.other].includes(server)))
    return {
      pair: [one, other],
      finding: found.has(name),
      alone: indexes.filter((index) => found.has(`only_${index}`)).map((index) => servers[index]),
      ...(found.has(name) && { facts: found.get(name) }),
      ...(judged !== undefined && { judged: { part: judged.part, verdict: judged.verdict, reason: judged.reason } }),
    }
  })
}

function pairsOf(servers) {
  return servers.flatMap((_, one) =>
    servers.slice(one + 1).map((__, next) => ({
      name: `pair_${one}_${one + 1 + next}`,
      indexes: [one, one + 1 + next],
    })),
  )
}

function designFiles(servers) {
  const singles = servers.map((_, index) => ({ name: `only_${index}`, indexes: [index] }))
  const agents = [...singles, ...pairsOf(servers)].map(({ name, indexes }) => {
    const uses = indexes.map((index) => `fromMcp(s${index})`).join(', ')
    return `export const ${name} = defineAgent('${name}', { description: 'Uses servers.', uses: [${uses}] })`
  })
  const imports = servers.map((_, index) => `import { s${index} } from './s${index}.mcp.js'`)
  return {
    'package.json': '{ "type": "module" }\n',
    'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'\nexport default defineConfig({ design: 'design/*.ts' })\n`,
    'design/agents.ts': [`import { defineAgent, fromMcp } from '@toolgen/dsl'`, ...imports, ...agents, ''].join('\n'),
  }
}
