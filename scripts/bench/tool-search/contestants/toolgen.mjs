import { Runtime } from '@toolgen/runtime'
import { payloadCodec, resultCodec, toolSpec, toolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { toolSearchIndex } from '@toolgen/runtime/projections'
import { toolIndex } from '@toolgen/runtime/tool-search'

/**
 * Registers the tools as toolsets of an agent, as generated code does.
 *
 * @param indexFile module with a generated search index, which the first search loads. Default: the first search builds the index
 */
export function searchOver(tools, indexFile) {
  const agent = agentWith(tools)
  let index
  return async (queries, limit) => {
    index ??= toolIndex(agent, indexFile === undefined ? {} : { index: (await import(indexFile)).searchIndex })
    return queries.map((query) => index.search(query, { limit }).map(({ toolName }) => toolName))
  }
}

/** Returns the search index that `toolgen generate` writes, as JavaScript. */
export function indexModule(tools) {
  return `export const searchIndex = ${JSON.stringify(toolSearchIndex(agentWith(tools).specs), null, 1)}\n`
}

function agentWith(tools) {
  const servers = grouped(tools)
  const registrations = [...servers].map(([server, members]) =>
    toolsetRegistration(
      {
        toolset: { name: server, namespace: 'default', description: '', tools: members.map(descriptorOf) },
        provider: 'function',
      },
      { execute: async () => null },
    ),
  )
  return new Runtime().registerAgent({ name: 'bench', description: 'Has all tools.' }, registrations)
}

function grouped(tools) {
  const groups = new Map()
  for (const tool of tools) groups.set(tool.server, [...(groups.get(tool.server) ?? []), tool])
  return groups
}

function descriptorOf({ id, server, name, description, parameters }) {
  const payload = payloadCodec({ schema: {}, unknown: 'keep' })
  const result = resultCodec({ schema: {}, unknown: 'keep' })
  const parts = {
    id: `${server}.${name}`,
    toolset: server,
    name,
    toolName: id,
    title: name,
    description,
    examples: [],
    hash: '',
  }
  return { spec: toolSpec(parts, { schema: parameters }, result), payload, result }
}
