import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { nearestNames } from '../../codec/issues/nearest.js'
import type { BoundTools } from '../../execute/bound-tools.js'
import { MAX_NEAR } from '../../execute/call/unknown-tool.js'
import { alternatives } from '../../execute/render/alternatives.js'
import { shorten } from '../../execute/render/shorten.js'
import type { Runtime } from '../../execute/runtime.js'
import { failedBefore } from '../../framework/failed-before.js'
import { mcpTool } from '../../projection/mcp/mcp-tool.js'
import { ownName } from '../own-name.js'
import { answerOf } from './answer-of.js'
import { progressOf } from './progress-of.js'
import type { ServedContext, ServedTools } from './serve-options.js'
import { servedClients } from './served-client.js'

/** Makes a server for each connection, all over the same tools. */
export type NewServer = () => Server

/**
 * Servers of the SDK that offer tools: each connection needs one. `tools/call` runs the one path of every call, with the
 * signal of the request.
 *
 * @throws {TypeError} when two tools have the same wire name.
 * @throws {BindingError} listing every fault of a registration.
 */
export function mcpServers<Env>(runtime: Runtime, served: ServedTools<Env>): NewServer {
  const tools = toolTable(runtime, served)
  const listed = [...tools.values()].map(({ listed }) => listed)
  const { server: info = ownName, instructions, context } = served
  const said = instructions === undefined ? {} : { instructions }
  return () => {
    const server = new Server({ ...info }, { capabilities: { tools: {}, logging: {} }, ...said })
    const clientOf = servedClients(server)
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
      const tool = tools.get(params.name)
      if (tool === undefined) throw unknownTool(params.name, [...tools.keys()])
      const asked = {
        tool: params.name,
        client: clientOf(extra),
        ...(extra.sessionId !== undefined && { mcpSession: extra.sessionId }),
        ...(extra.requestInfo !== undefined && { headers: extra.requestInfo.headers }),
      }
      const call = { tool: params.name, arguments: JSON.stringify(params.arguments ?? {}) }
      let given: Partial<ServedContext<unknown>>
      try {
        given = (await context?.(asked)) ?? {}
      } catch (error) {
        return answerOf(failedBefore(call, error), false)
      }
      const token = extra._meta?.progressToken
      const told = token === undefined ? undefined : progressOf(token)
      const outcome = await tool.bound.execute(call, {
        ...given,
        signal: extra.signal,
        ...(told !== undefined && {
          // A client that has gone hears nothing; the call ends by its signal.
          onUpdate: (update) => void extra.sendNotification(told(update)).catch(() => undefined),
        }),
      })
      return answerOf(outcome, tool.listed.outputSchema !== undefined)
    })
    return server
  }
}

/** An error answer. One of the SDK's class would say its code in the text too, and whoever hears it says it once more. */
function unknownTool(name: string, names: readonly string[]): Error {
  const near = nearestNames(name, names, MAX_NEAR)
  const advice = near.length === 0 ? '' : `. Did you mean ${alternatives(near)}?`
  return Object.assign(new Error(`Unknown tool: ${shorten(name, 64)}${advice}`), { code: ErrorCode.InvalidParams })
}

interface ServedTool {
  // `any`: the env comes from `context`, whose type follows from the tools.
  readonly bound: BoundTools<any>
  readonly listed: ReturnType<typeof mcpTool>['tool']
}

function toolTable<Env>(runtime: Runtime, { toolsets }: ServedTools<Env>): ReadonlyMap<string, ServedTool> {
  const tools = new Map<string, ServedTool>()
  for (const toolset of toolsets) {
    const bound = 'specs' in toolset ? toolset : runtime.registerToolset(toolset)
    for (const spec of bound.specs) {
      if (tools.has(spec.wireName)) {
        throw new TypeError(
          `two of the tools to serve are named '${spec.wireName}': give one of them another with \`rename\``,
        )
      }
      tools.set(spec.wireName, { bound, listed: mcpTool(spec).tool })
    }
  }
  return tools
}
