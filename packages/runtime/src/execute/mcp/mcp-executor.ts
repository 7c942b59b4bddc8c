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
import { requireTimeLimit } from '../../time/time-limit.js'
import { BindingError } from '../binding/binding-error.js'
import { callerFault, lackingMethods } from './caller-fault.js'
import { DriftWatch } from './drift-watch.js'
import { answeredFailure, type RefusedTool, thrownFailure } from './mcp-failure.js'
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
 * @throws {BindingError} for a caller that is none.
 * @throws {RangeError} for a `timeoutMs` that is no time.
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
  requireTimeLimit('timeoutMs', timeoutMs)
  const fault = callerFault(imported.toolset.name, caller)
  if (fault !== undefined) throw new BindingError(`toolset '${imported.toolset.name}'`, [fault])
  const tools = servedTools(imported)
  const watch = new DriftWatch(imported, onDrift)
  const connected = onlyOnce(caller)
  let live: McpCaller | undefined
  return Object.freeze({
    /** The name that the server gives itself, also for calls that fail; before it has been reached, that of the snapshot. */
    get service() {
      return live?.server?.name ?? imported.server?.name
    },
    async ready() {
      return watch.check(await connected())
    },
    async execute(request) {
      const tool = tools.get(request.tool.name)
      if (!tool)
        throw new Error(`the executor of toolset '${imported.toolset.name}' has no tool '${request.tool.name}'`)
      const sent = tool.sent(await request.payload())
      const server = await connected()
      live = server
      const asked = { tool: request.tool, served: tool.served }
      const refused: RefusedTool = {
        name: tool.served.name,
        drifted: (refusal) => watch.refused(server, asked, refusal),
      }
      await watch.before(server, asked)
      const call = { name: tool.served.name, arguments: sent }
      const answer = await answered(server.callTool(call, callOptions(request, timeoutMs)), refused)
      if (answer.isError === true) throw await answeredFailure(answer, refused)
      const { result } = tool.descriptor
      return readResult(answer, { result, declared: tool.served.outputSchema !== undefined })
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
    const asked = (async () => givenCaller(await source()))()
    caller = asked
    asked.catch(() => {
      caller = undefined
    })
    return asked
  }
}

function givenCaller(caller: McpCaller): McpCaller {
  const lacking = lackingMethods(caller)
  if (lacking.length > 0) throw new TypeError(`what was given for a caller is none (it lacks ${lacking.join(' and ')})`)
  return caller
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

async function answered(answer: Promise<McpToolResult>, tool: RefusedTool): Promise<McpToolResult> {
  try {
    return await answer
  } catch (error) {
    throw await thrownFailure(error, tool)
  }
}
