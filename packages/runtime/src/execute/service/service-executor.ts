import type { ToolExecutor } from '../../contract/executor.js'
import { PAYLOAD_DOOR, type PayloadExecutor } from '../tool/payload-door.js'
import type { ServiceTool } from './service-tool.js'

/**
 * An executor over a service client: the tools by their names within the toolset.
 *
 * @param toolset the toolset's name, for the message when a tool is asked for that the executor does not have
 * @param service the client's name in the design, for the provenance of each call. Default: none
 */
export function serviceExecutor(
  toolset: string,
  tools: Readonly<Record<string, ServiceTool>>,
  service?: string,
): ToolExecutor {
  const byName = new Map(Object.entries(tools))
  return Object.freeze({
    ...(service !== undefined && { service }),
    async execute(request) {
      const tool = byName.get(request.tool.name)
      if (!tool) throw new Error(`the executor of toolset '${toolset}' has no tool '${request.tool.name}'`)
      return tool.result(await tool.ask(await request.payload(), request), request)
    },
    [PAYLOAD_DOOR]: (name) => byName.get(name),
  } satisfies PayloadExecutor)
}
