import { answeredElicitation } from '../agents/elicitation.js'
import { BindingError, type BindingErrorDetails } from '../call/binding-error.js'
import { filePart, mediaPart } from '../call/content.js'
import { throwIfDeclared } from '../call/declared-failure.js'
import { ElicitationSuspension, recordMcpConnection, traceContextOf } from '../call/nested-run.js'
import { withContent } from '../call/provenance.js'
import { requireTimeLimit } from '../call/timers.js'
import { FIXED_MESSAGES, peek, ToolFailure } from '../call/tool-failure.js'
import { shorten } from '../call/value-text.js'
import { isContainer, isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ContentPart } from '../types/content.js'
import type { JsonObject } from '../types/json.js'
import type {
  McpCaller,
  McpCallerSource,
  McpContent,
  McpExecutor,
  McpExecutorOptions,
  McpToolCall,
  McpToolResult,
  ToolsetImport,
} from '../types/mcp.js'
import type { ToolDescriptor } from '../types/tool.js'
import { declaredTools } from './declared-tools.js'
import { DriftWatch } from './drift.js'

/**
 * Creates an executor that calls an MCP server. Called by generated code. The executor sends the encoded payload to the server. The result of a call
 * is the structured content of the response. If the response has no structured content, the result is the text of the response, parsed as JSON. If
 * the response has `isError`, the call fails, and the model receives the text of the response. If the server asks the user a question, the call is
 * suspended.
 *
 * @param source an `McpCaller`, or a function that returns an `McpCaller`. The executor calls the function before its first request to the server
 * @throws {BindingError} if `source` is neither an `McpCaller` nor a function.
 * @throws {RangeError} if `timeoutMs` is invalid.
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
      if (lacking !== '')
        throw new TypeError(`invalid caller: the function must return an McpCaller, but its result lacks ${lacking}`)
      return caller
    })()
    connecting = requested
    // The next call tries again.
    requested.catch(() => {
      connecting = undefined
    })
    return requested
  }
  let live: McpCaller | undefined
  return Object.freeze({
    get service() {
      return live?.server?.name ?? imported.server?.name
    },
    async ready() {
      return watch.check(await connected())
    },
    caller: connected,
    async execute(request) {
      const { declared: served, descriptor, toArguments } = findTool(request.tool.name)
      const elicitation = answeredElicitation(request)
      const { requestState } = typeof elicitation === 'object' ? elicitation : {}
      const call: McpToolCall = {
        name: served.name,
        arguments: toArguments(await request.payload()),
        ...(typeof elicitation === 'object' && { inputResponses: elicitation.answers }),
        ...(requestState !== undefined && { requestState }),
      }
      const caller = await connected()
      live = caller
      const called = { tool: request.tool, served }
      const invalidParams = async (text: string, cause?: unknown): Promise<ToolFailure> => {
        const explanation = ownText(text, served.name)
        const drifted = await watch.refused(caller, called, explanation, cause)
        if (drifted !== undefined) return drifted
        // The codec accepted these arguments, so an example made from the schema could be wrong too.
        const message = explanation === '' ? FIXED_MESSAGES.invalid_arguments : explanation
        return new ToolFailure(message, { reason: 'invalid_arguments', noExample: true, cause })
      }
      await watch.before(caller, called)
      const traceContext = traceContextOf(request)
      const answer = await caller
        .callTool(call, {
          signal: request.meta.signal,
          ...(elicitation !== undefined && { allowInputRequired: true }),
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(traceContext !== undefined && { traceContext }),
          ...(request.tool.updates !== undefined && {
            // An error in an update fails the call through the runtime, so it is ignored here.
            onProgress: (progress) => void request.emit(progress).catch(() => undefined),
          }),
        })
        .catch(async (error: unknown) => {
          recordMcpConnection(request, caller)
          // Errors of the SDK have the code in `code`. All other errors are classified by the runtime.
          if ((peek(error, 'rpcCode') ?? peek(error, 'code')) !== INVALID_PARAMS) throw error
          const message = peek(error, 'message')
          throw await invalidParams(typeof message === 'string' ? message : '', error)
        })
      recordMcpConnection(request, caller)
      if (answer.inputRequired !== undefined) return new ElicitationSuspension(answer.inputRequired)
      if (answer.isError !== true) {
        const value = resultOf(answer, descriptor, served.outputSchema !== undefined)
        const parts = blocksOf(answer).flatMap((block) => partOf(block) ?? [])
        return parts.length === 0 ? value : withContent(value, parts)
      }
      const text = blocksOf(answer)
        .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text || [] : []))
        .join('\n')
      if (text.startsWith(`MCP error ${INVALID_PARAMS}:`)) throw await invalidParams(text)
      throwIfDeclared(answer._meta, request.tool, shorten(text, LONGEST_TEXT))
      throw new ToolFailure(text === '' ? FIXED_MESSAGES.domain_rejection : shorten(text, LONGEST_TEXT))
    },
  } satisfies McpExecutor)
}

/**
 * JSON-RPC error code for invalid arguments and unknown tools. Servers that use the official SDK also write this code in the text of a failed
 * result (`isError`).
 */
const INVALID_PARAMS = -32602

const LONGEST_TEXT = 4_000

/** The official SDK adds these prefixes to an error message. The prefixes only repeat that the arguments are invalid. */
function ownText(message: string, tool: string): string {
  const text = message.replace(/^(?:MCP error -32602:\s*)+/, '').replace(/^Input validation error: /, '')
  const prefix = `Invalid arguments for tool ${tool}: `
  return shorten((text.startsWith(prefix) ? text.slice(prefix.length) : text).trim(), LONGEST_TEXT)
}

function resultOf(answer: McpToolResult, { result }: ToolDescriptor, isDeclared: boolean): unknown {
  const { structuredContent } = answer
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent
  const content = blocksOf(answer)
  const [block] = content
  const text = content.length === 1 && block?.type === 'text' && typeof block.text === 'string' ? block.text : undefined
  const parsed = parseJson(text ?? '')
  if (isDeclared) {
    if (!parsed.ok) throw malformed('has an output schema but returned neither structured content nor JSON')
    return parsed.value
  }
  const values = parsed.ok ? [parsed.value] : []
  const structures = values.filter(isContainer)
  // A text such as `5` or `true` can also be prose, so it is parsed last.
  const scalars = values.filter((value) => !isContainer(value))
  // Files and resources reach models in another way.
  const rest = content.filter((each) => partOf(each) === undefined)
  const caption =
    rest.length === 1 && rest.length < content.length && typeof rest[0]?.text === 'string' ? [rest[0].text] : []
  const readings = [...structures, ...(text === undefined ? [] : [text]), ...scalars, { content }, ...caption]
  return readings.find((reading) => result.decodeValue(reading).ok) ?? readings[0]
}

function partOf({ type, mimeType, data, resource, annotations, ...block }: McpContent): ContentPart | undefined {
  const about = isFields(annotations) ? { annotations: annotations as JsonObject } : {}
  if (type === 'image' || type === 'audio')
    return typeof mimeType === 'string' && typeof data === 'string' ? mediaPart(mimeType, data) : undefined
  if (type === 'resource_link') {
    const { uri, name, title, description, size } = block
    if (typeof uri !== 'string' || typeof name !== 'string') return undefined
    return {
      type,
      uri,
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(typeof mimeType === 'string' && { mediaType: mimeType }),
      ...(typeof size === 'number' && { size }),
      ...about,
    }
  }
  if (type !== 'resource' || !isFields(resource)) return undefined
  const { uri, mimeType: kind, text, blob } = resource
  if (typeof uri !== 'string') return undefined
  const mediaType = typeof kind === 'string' ? kind : undefined
  if (typeof blob === 'string') return filePart(mediaType ?? 'application/octet-stream', blob, { uri, ...about })
  if (typeof text !== 'string') return undefined
  return { type: 'text', uri, text, ...(mediaType !== undefined && { mediaType }), ...about }
}

function blocksOf({ content = [] }: McpToolResult): readonly McpContent[] {
  if (Array.isArray(content) && content.every((block) => typeof peek(block, 'type') === 'string')) return content
  throw malformed('returned content that is not an array of blocks')
}

function malformed(what: string): ToolFailure {
  const cause = new TypeError(`the MCP tool ${what}`)
  return new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', cause })
}

export function callerErrors(toolset: string, caller: unknown): BindingErrorDetails[] {
  const lacking = typeof caller === 'function' ? '' : lackingMethods(caller)
  if (lacking === '') return []
  const message = `Toolset '${toolset}' has an invalid caller: it lacks ${lacking}. Pass a caller, for example stdioCaller({ command }), or a function that returns one.`
  return [{ code: 'invalid_caller', toolset, message }]
}

function lackingMethods(caller: unknown): string {
  return ['callTool', 'listTools'].filter((method) => typeof peek(caller, method) !== 'function').join(' and ')
}
