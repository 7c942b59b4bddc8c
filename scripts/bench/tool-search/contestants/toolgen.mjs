import { Runtime } from '@toolgen/runtime'
import { payloadCodec, resultCodec, toolSpec, toolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { toolIndex } from '@toolgen/runtime/tool-search'

/** Registers the tools as toolsets of an agent, as generated code does. */
export function searchOver(tools) {
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
  const agent = new Runtime().registerAgent({ name: 'bench', description: 'Has all tools.' }, registrations)
  const index = toolIndex(agent)
  return async (queries, limit) =>
    queries.map((query) => index.search(query, { limit }).map(({ toolName }) => toolName))
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
