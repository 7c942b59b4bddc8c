import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mcpQueries } from './queries.mjs'

/** Returns the folder of third-party data: `TOOLGEN_DATA`, or the one next to the repository. Returns `undefined` if it is missing. */
export function dataFolder() {
  const folder = process.env.TOOLGEN_DATA || fileURLToPath(new URL('../../../../shared/data', import.meta.url))
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : undefined
}

/**
 * Sets of tools, each with queries. A tool is `{ id, server, name, description, parameters }`; its `id` is also its name for models. A query
 * is `{ text, tools, need }`: `need` is `any` if one of `tools` is enough, and `all` if the task needs each of them.
 *
 * Only queries at odd positions are returned. The others were used to choose the weights of the search.
 */
export const corpora = {
  sealtools(folder) {
    const tools = jsonLines(folder, 'sealtools/tools.jsonl').map(({ name, description, parameters }) => ({
      id: name,
      server: 'tools',
      name,
      description,
      parameters,
    }))
    const queries = jsonLines(folder, 'sealtools/cases.jsonl').map(({ question, calls }) => ({
      text: question,
      tools: [...new Set(calls.map(({ name }) => name))],
      need: 'all',
      part: calls.length === 1 ? 'one' : 'several',
    }))
    const half = ['one', 'several'].flatMap((part) => oddOf(queries.filter((query) => query.part === part)))
    return { tools, queries: half }
  },
  mcp(folder) {
    const files = readdirSync(join(folder, 'mcp')).sort()
    const tools = files.flatMap((file) => {
      const server = serverName(file)
      const listed = JSON.parse(readFileSync(join(folder, 'mcp', file), 'utf8')).tools
      return listed.map(({ name, description = '', inputSchema }) => ({
        id: `${server}_${name}`,
        server,
        name,
        description,
        parameters: inputSchema,
      }))
    })
    const queries = mcpQueries.map(([text, ...accepted]) => ({
      text,
      tools: accepted.map((id) => id.replace('.', '_')),
      need: 'any',
      part: 'mcp',
    }))
    return { tools, queries: oddOf(queries) }
  },
}

const oddOf = (list) => list.filter((_, index) => index % 2 === 1)

const jsonLines = (folder, file) =>
  readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Returns the name of a server: `gitlab` for `zereight__mcp-gitlab.json`, `playwright` for `playwright__mcp.json`. */
function serverName(file) {
  const parts = file.replace('.json', '').split('__')
  const words = parts
    .at(-1)
    .split('-')
    .filter((word) => word !== 'mcp' && word !== 'server')
  return words.length > 0 ? words.join('-') : parts[0]
}

/** Returns the share of the wanted tools among the first `count` results, from 0 to 1. */
export function recallOf({ tools, need }, found, count) {
  const first = found.slice(0, count)
  const hits = tools.filter((tool) => first.includes(tool)).length
  return need === 'any' ? Math.min(1, hits) : hits / tools.length
}
