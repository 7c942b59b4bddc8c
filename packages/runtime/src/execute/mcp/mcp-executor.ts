import type { ToolDescriptor } from '../../contract/descriptor.js'
import type { ExecutorRequest } from '../../contract/executor.js'
import type {
  McpCaller,
  McpCallerSource,
  McpCallOptions,
  McpExecutor,
  McpExecutorOptions,
  McpServedTool,
  McpToolResult,
  ToolsetImport,
} from '../../contract/mcp.js'
import { provenanced } from '../result/provenanced.js'
import { DriftWatch } from './drift-watch.js'
import { answeredFailure, type Missing, thrownFailure } from './mcp-failure.js'
import { readResult } from './read-result.js'
import { type SentArguments, sentArguments } from './sent-arguments.js'

/** One tool, ready to be called on its server. */
interface ServedTool {
  readonly served: McpServedTool
  readonly descriptor: ToolDescriptor
  readonly sent: SentArguments
}

/**
 * An executor over an MCP server. Generated code calls it. The server is asked with the encoded payload; its structured
 * content, else its text as JSON, is the result; `isError` fails the call with the server's text.
 *
 * @param caller the connection, or what gives it when the first call needs it
 *
 * @example
 * const files = stdioCaller({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })
 * const executor = mcpExecutor(filesImport, files, { onDrift: 'fail' })
 */
export function mcpExecutor(
  imported: ToolsetImport,
  caller: McpCallerSource,
  { onDrift, timeoutMs }: McpExecutorOptions = {},
): McpExecutor {
  const tools = servedTools(imported)
  const watch = new DriftWatch(imported, onDrift)
  const connected = onlyOnce(caller)
  return Object.freeze({
    async ready() {
      return watch.check(await connected())
    },
    async execute(request) {
      const tool = tools.get(request.tool.name)
      if (!tool)
        throw new Error(`the executor of toolset '${imported.toolset.name}' has no tool '${request.tool.name}'`)
      const sent = tool.sent(await request.payload())
      const server = await connected()
      const asked = { tool: request.tool, served: tool.served }
      const missing: Missing = (cause) => watch.missing(server, asked, cause)
      await watch.before(server, asked)
      const call = { name: tool.served.name, arguments: sent }
      const answer = await answered(server.callTool(call, callOptions(request, timeoutMs)), missing)
      if (answer.isError === true) throw await answeredFailure(answer, missing)
      const { result } = tool.descriptor
      const value = readResult(answer, { result, declared: tool.served.outputSchema !== undefined })
      return server.server === undefined ? value : provenanced(value, { service: server.server.name })
    },
  } satisfies McpExecutor)
}

function servedTools({ toolset, tools }: ToolsetImport): ReadonlyMap<string, ServedTool> {
  return new Map(
    toolset.tools.flatMap((descriptor) => {
      const { name } = descriptor.spec
      const served = Object.hasOwn(tools, name) ? tools[name] : undefined
      return served === undefined ? [] : [[name, { served, descriptor, sent: sentArguments(descriptor) }] as const]
    }),
  )
}

/** A source is asked once; where it fails, again with the next call. */
function onlyOnce(source: McpCallerSource): () => Promise<McpCaller> {
  if (typeof source !== 'function') return () => Promise.resolve(source)
  let caller: Promise<McpCaller> | undefined
  return () => {
    if (caller !== undefined) return caller
    const asked = (async () => source())()
    caller = asked
    asked.catch(() => {
      caller = undefined
    })
    return asked
  }
}

function callOptions(request: ExecutorRequest, timeoutMs: number | undefined): McpCallOptions {
  return {
    signal: request.meta.signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(request.tool.updates !== undefined && {
      // The pipeline keeps what is wrong with an update and fails the call for it.
      onProgress: (progress) => void request.emit(progress).catch(() => undefined),
    }),
  }
}

async function answered(answer: Promise<McpToolResult>, missing: Missing): Promise<McpToolResult> {
  try {
    return await answer
  } catch (error) {
    throw await thrownFailure(error, missing)
  }
}
