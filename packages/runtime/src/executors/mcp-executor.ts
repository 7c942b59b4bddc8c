import type { BindingErrorDetails } from '../call/binding-error.js'
import { BindingError } from '../call/binding-error.js'
import { requireTimeLimit } from '../call/timers.js'
import { FIXED_MESSAGES, peek, ToolFailure } from '../call/tool-failure.js'
import { shorten } from '../call/value-text.js'
import { isContainer } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type {
  McpCaller,
  McpCallerSource,
  McpContent,
  McpExecutor,
  McpExecutorOptions,
  McpToolResult,
  ToolsetImport,
} from '../types/mcp.js'
import type { ToolDescriptor } from '../types/tool.js'
import { declaredTools } from './declared-tools.js'
import { DriftWatch } from './drift.js'

/**
 * Returns an executor over an MCP server. Generated code calls it. It sends the encoded payload; the result is the structured
 * content of the answer, else its text as JSON; an answer with `isError` fails the call with the server's text.
 *
 * @param source the connection, or a function that returns it, called by the first call that needs it
 * @throws {BindingError} for an invalid caller.
 * @throws {RangeError} for an invalid `timeoutMs`.
 *
 * @example
 * const files = stdioCaller({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })
 * const executor = mcpExecutor(filesImport, files, { onDrift: 'fail' })
 */
export function mcpExecutor(
  imported: ToolsetImport,
  source: McpCallerSource,
  { onDrift, timeoutMs }: McpExecutorOptions = {},
): McpExecutor {
  const { toolset } = imported
  requireTimeLimit('timeoutMs', timeoutMs)
  const errors = callerErrors(toolset.name, source)
  if (errors.length > 0) throw new BindingError(`toolset '${toolset.name}'`, errors)
  const findTool = declaredTools(toolset, imported.tools)
  const watch = new DriftWatch(imported, onDrift)
  let connecting: Promise<McpCaller> | undefined
  const connected = (): Promise<McpCaller> => {
    if (typeof source !== 'function') return Promise.resolve(source)
    if (connecting !== undefined) return connecting
    const requested = (async () => {
      const caller = await source()
      const lacking = lackingMethods(caller)
      if (lacking !== '') throw new TypeError(`what was given for a caller is none (it lacks ${lacking})`)
      return caller
    })()
    connecting = requested
    // The next call asks again.
    requested.catch(() => {
      connecting = undefined
    })
    return requested
  }
  let live: McpCaller | undefined
  return Object.freeze({
    /** The name that the server gives itself, also for failed calls; before it has been reached, that of the snapshot. */
    get service() {
      return live?.server?.name ?? imported.server?.name
    },
    async ready() {
      return watch.check(await connected())
    },
    async execute(request) {
      const { declared: served, descriptor, toArguments } = findTool(request.tool.name)
      const call = { name: served.name, arguments: toArguments(await request.payload()) }
      const caller = await connected()
      live = caller
      const called = { tool: request.tool, served }
      const invalidParams = async (text: string, cause?: unknown): Promise<ToolFailure> => {
        const explanation = ownText(text, served.name)
        const drifted = await watch.refused(caller, called, explanation, cause)
        if (drifted !== undefined) return drifted
        // The codec accepted what the server refused: an example that the codec accepts may be as wrong.
        const message = explanation === '' ? FIXED_MESSAGES.invalid_arguments : explanation
        return new ToolFailure(message, { reason: 'invalid_arguments', noExample: true, cause })
      }
      await watch.before(caller, called)
      const answer = await caller
        .callTool(call, {
          signal: request.meta.signal,
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(request.tool.updates !== undefined && {
            // The pipeline keeps the error of an update and fails the call with it.
            onProgress: (progress) => void request.emit(progress).catch(() => undefined),
          }),
        })
        .catch(async (error: unknown) => {
          // An error of the SDK has the code itself. All other errors are classified by the runtime.
          if ((peek(error, 'rpcCode') ?? peek(error, 'code')) !== INVALID_PARAMS) throw error
          const message = peek(error, 'message')
          throw await invalidParams(typeof message === 'string' ? message : '', error)
        })
      if (answer.isError !== true) return resultOf(answer, descriptor, served.outputSchema !== undefined)
      const text = blocksOf(answer)
        .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text || [] : []))
        .join('\n')
      if (text.startsWith(`MCP error ${INVALID_PARAMS}:`)) throw await invalidParams(text)
      throw new ToolFailure(text === '' ? FIXED_MESSAGES.domain_rejection : shorten(text, LONGEST_TEXT))
    },
  } satisfies McpExecutor)
}

/** The JSON-RPC code with which servers on the official SDK answer wrong arguments and unknown tools, also in `isError` texts. */
const INVALID_PARAMS = -32602

/** Maximum number of characters of a server's text that a model receives. */
const LONGEST_TEXT = 4_000

/** Returns a server's explanation without the prefixes of the SDK: the model knows that the arguments are wrong. */
function ownText(message: string, tool: string): string {
  const text = message.replace(/^(?:MCP error -32602:\s*)+/, '').replace(/^Input validation error: /, '')
  const prefix = `Invalid arguments for tool ${tool}: `
  return shorten((text.startsWith(prefix) ? text.slice(prefix.length) : text).trim(), LONGEST_TEXT)
}

/**
 * Returns the value of an answer: structured content first. If the server declares an output schema, else the JSON of its only
 * text block. If it declares none, the first of these that the result codec accepts: the JSON of the only text block if that
 * is an object or an array, the text itself, its JSON of another kind, all blocks as `{ content }`.
 *
 * @throws {ToolFailure} `malformed_result` if there is no such value.
 */
function resultOf(answer: McpToolResult, { result }: ToolDescriptor, isDeclared: boolean): unknown {
  const { structuredContent } = answer
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent
  const content = blocksOf(answer)
  const [block] = content
  const text = content.length === 1 && block?.type === 'text' && typeof block.text === 'string' ? block.text : undefined
  const parsed = parseJson(text ?? '')
  if (isDeclared) {
    if (!parsed.ok) throw malformed('has an output schema, and answered neither structured content nor JSON')
    return parsed.value
  }
  const values = parsed.ok ? [parsed.value] : []
  const structures = values.filter(isContainer)
  // A number or a word may just as well be prose.
  const scalars = values.filter((value) => !isContainer(value))
  const readings = [...structures, ...(text === undefined ? [] : [text]), ...scalars, { content }]
  return readings.find((reading) => result.decodeValue(reading).ok) ?? readings[0]
}

/** @throws {ToolFailure} `malformed_result` for anything but blocks. */
function blocksOf({ content = [] }: McpToolResult): readonly McpContent[] {
  if (Array.isArray(content) && content.every((block) => typeof peek(block, 'type') === 'string')) return content
  throw malformed('answered content that is no list of blocks')
}

function malformed(what: string): ToolFailure {
  const cause = new TypeError(`the MCP tool ${what}`)
  return new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', cause })
}

/** Returns the error of a value that is neither a caller nor a function. */
export function callerErrors(toolset: string, caller: unknown): BindingErrorDetails[] {
  const lacking = typeof caller === 'function' ? '' : lackingMethods(caller)
  if (lacking === '') return []
  const message = `the caller of toolset '${toolset}' is none (it lacks ${lacking}): give a caller, such as stdioCaller({ command }), or a function that gives one`
  return [{ code: 'invalid_caller', toolset, message }]
}

function lackingMethods(caller: unknown): string {
  return ['callTool', 'listTools'].filter((method) => typeof peek(caller, method) !== 'function').join(' and ')
}
