import type { Json } from '../ir/types.js'
import { closedSchema } from '../schema/canonical/closed-schema.js'
import type { OfferedTool } from './vendor-form.js'

/** What the runtime's projections read: the spec that generated code has of the tool. */
export function offeredSpec({ tool, toolset, wireName }: OfferedTool): Json {
  return {
    id: tool.id,
    toolset: toolset.name,
    name: tool.name,
    namespace: toolset.namespace,
    wireName,
    title: tool.title,
    description: tool.description,
    tags: tool.tags,
    arguments: closedSchema(tool.arguments, toolset.defs),
    result: closedSchema(tool.result, toolset.defs),
    examples: tool.examples,
    serverOwned: [],
    annotations: { ...tool.annotations },
    hash: tool.hash,
  }
}
