import { Runtime } from '../agents/runtime.js'
import {
  isGiven,
  layeredBinding,
  missingToolParts,
  property,
  type Requirements,
  type ToolsetBinding,
} from '../call/binding.js'
import { BindingError, type BindingErrorDetails, selectedTools, useName } from '../call/binding-error.js'
import type { BoundToolset } from '../call/execute.js'
import { shorten } from '../call/issue-text.js'
import { requireTimeLimit } from '../call/timers.js'
import { FIXED_MESSAGES, peek, ToolFailure } from '../call/tool-failure.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolDescriptor } from '../types/call.js'
import type { Codec } from '../types/codec.js'
import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type {
  McpCaller,
  McpCallerSource,
  McpCallOptions,
  McpContent,
  McpExecutor,
  McpExecutorOptions,
  McpServedTool,
  McpToolResult,
  ToolsetImport,
} from '../types/mcp.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import { DriftWatch, type ServerRefusal } from './mcp-drift.js'
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
  const fault = callerError(imported.toolset.name, caller)
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

/**
 * How an application serves a toolset of an MCP server: by a caller, or by an executor of its own. `Env` names what the
 * layers that it adds need.
 *
 * @example
 * { caller: stdioCaller({ command: 'npx', args: ['-y', 'server'] }), onDrift: 'fail' }
 */
export type McpBinding<Options extends RegistrationOptions = RegistrationOptions, Env = unknown> = Options & {
  /** Puts layers around the tools, all or single ones; gives back what `layer` and `tool` give. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
} & (
    | (McpExecutorOptions & { readonly caller: McpCallerSource; readonly executor?: never })
    | {
        readonly executor: ToolExecutor
        readonly caller?: never
        /** A registration is no binding: its layers would be lost. */
        readonly wrap?: never
      }
  )

/**
 * Makes the registration of a toolset of an MCP server from what the application gave. Never throws for what is missing:
 * `registerAgent` reports the errors of all toolsets together.
 *
 * @param binding what the application gave under `toolsets.<name>`
 * @param requirements what the tools cannot do without, by tool name
 */
export function bindMcpToolset(
  use: ToolsetUse,
  binding: McpBinding<any, any>, // `any`: options and env are in the types of generated code
  imported: ToolsetImport,
  requirements: Requirements = {},
): ToolsetBinding {
  const errors = mcpErrors(use, binding, requirements)
  if (errors.length > 0) return { use, errors }
  const executor = binding.executor ?? mcpExecutor(selected(use, imported), binding.caller, binding)
  return layeredBinding(use, toolsetRegistration(use, executor, binding), binding.layers)
}

/** What the use has of the toolset: near names in hints are of its tools. */
function selected(use: ToolsetUse, imported: ToolsetImport): ToolsetImport {
  return { ...imported, toolset: { ...imported.toolset, tools: selectedTools(use) } }
}

function mcpErrors(use: ToolsetUse, binding: unknown, requirements: Requirements): readonly BindingErrorDetails[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset} = { caller } or { executor }`
    return [{ code: 'missing_toolset', toolset, message }]
  }
  return [...partFault(toolset, binding), ...missingToolParts(use, { ...binding, executor: true }, requirements)]
}

function partFault(toolset: string, binding: object): readonly BindingErrorDetails[] {
  if (property(binding, 'wrap') !== undefined) {
    const message = `toolsets.${toolset} is a registration: give { caller, layers: (tools) => tools.layer(...) }`
    return [{ code: 'invalid_registration', toolset, message }]
  }
  const hasCaller = isGiven(property(binding, 'caller'))
  const hasExecutor = isGiven(property(binding, 'executor'))
  if (hasCaller === hasExecutor) {
    const message = hasCaller
      ? `toolset '${toolset}' has a caller and an executor: give one of them`
      : `toolset '${toolset}' has neither caller nor executor: give toolsets.${toolset}.caller`
    return [{ code: hasCaller ? 'caller_and_executor' : 'missing_caller', toolset, message }]
  }
  const fault = hasCaller ? callerError(toolset, property(binding, 'caller')) : undefined
  return fault === undefined ? [] : [fault]
}

/**
 * The tools of an MCP server without an agent: their calls go the way of all calls, in a runtime of their own. Generated
 * clients call it.
 *
 * @throws {BindingError} for options that are none.
 *
 * @example
 * const tools = mcpTools(filesMcp, mcpExecutor(filesMcp, caller))
 * const outcome = await tools.execute(newReadFileCall({ path: 'notes.txt' }))
 */
export function mcpTools(
  { toolset }: ToolsetImport,
  executor: ToolExecutor,
  options: RegistrationOptions = {},
): BoundToolset {
  return new Runtime().registerToolset(toolsetRegistration({ toolset, provider: 'mcp' }, executor, options))
}

/** What a caller cannot do without. */
const METHODS = ['callTool', 'listTools'] as const

/** What keeps something from being the caller of a toolset, or what gives it; `undefined` where nothing does. */
function callerError(toolset: string, caller: unknown): BindingErrorDetails | undefined {
  if (typeof caller === 'function') return undefined
  const lacking = lackingMethods(caller)
  if (lacking.length === 0) return undefined
  const message = `the caller of toolset '${toolset}' is none (it lacks ${lacking.join(' and ')}): give a caller, such as stdioCaller({ command }), or a function that gives one`
  return { code: 'invalid_caller', toolset, message }
}

/** The methods that something lacks to be a caller. */
function lackingMethods(caller: unknown): readonly string[] {
  return METHODS.filter((method) => typeof peek(caller, method) !== 'function')
}

/** How servers on the official SDK begin the text of an `isError` result for invalid params and unknown tools. */
const QUOTED_INVALID_PARAMS = 'MCP error -32602:'

const INVALID_PARAMS = -32602

/** How many characters of a server's text a model is shown. */
const LONGEST_TEXT = 4_000

/** The tool of a call that failed. */
interface RefusedTool {
  /** The server's own name of the tool. */
  readonly name: string
  /** What the refusal means where the tool has changed on its server; `undefined` where it has not, or nothing is known. */
  readonly drifted: (refusal: ServerRefusal) => Promise<ToolFailure | undefined>
}

/** What a failed call means where its caller threw; all but invalid params is left to the table of errors. */
async function thrownFailure(error: unknown, tool: RefusedTool): Promise<unknown> {
  if (peek(error, 'code') !== INVALID_PARAMS) return error
  const message = peek(error, 'message')
  return invalidParams(typeof message === 'string' ? message : '', tool, error)
}

/** What an answer with `isError` means: its text was written for a model to see. */
async function answeredFailure(answer: McpToolResult, tool: RefusedTool): Promise<ToolFailure> {
  const text = textOf(contentOf(answer))
  if (text.startsWith(QUOTED_INVALID_PARAMS)) return invalidParams(text, tool, undefined)
  return new ToolFailure(text === '' ? FIXED_MESSAGES.domain_rejection : shorten(text, LONGEST_TEXT))
}

async function invalidParams(said: string, { name, drifted }: RefusedTool, cause: unknown): Promise<ToolFailure> {
  const text = shorten(ownWords(said, name), LONGEST_TEXT)
  const failure = await drifted({ text, cause })
  if (failure !== undefined) return failure
  const message = text === '' ? FIXED_MESSAGES.invalid_arguments : text
  // The codec took what the server refused: an example that the codec takes may be as wrong.
  return new ToolFailure(message, { reason: 'invalid_arguments', noExample: true, cause })
}

/** What is left without the beginnings that the SDK writes: a model is told that the arguments are wrong, and knows no server. */
function ownWords(said: string, tool: string): string {
  const text = said.replace(/^(?:MCP error -32602:\s*)+/, '').replace(/^Input validation error: /, '')
  const beginning = `Invalid arguments for tool ${tool}: `
  return (text.startsWith(beginning) ? text.slice(beginning.length) : text).trim()
}

/** What an answer is read by. */
interface ReadBy {
  readonly result: Pick<Codec<never, unknown>, 'decodeValue'>
  /** Whether the server declares what the tool answers. */
  readonly declared: boolean
}

/**
 * The value in what an MCP tool answered: structured content first. Where the server declares an output schema, else the
 * JSON of its only text block. Where it declares none, the first of these that the result codec takes: the JSON of the only
 * text block if that is an object or an array, the text itself, its JSON of another kind, all blocks as `{ content }`.
 *
 * @throws {ToolFailure} `malformed_result` where there is no such value.
 */
function readResult(answer: McpToolResult, { result, declared }: ReadBy): unknown {
  const { structuredContent } = answer
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent
  const content = contentOf(answer)
  const text = onlyText(content)
  if (declared) {
    const parsed = text === undefined ? undefined : parsedJson(text)
    if (parsed === undefined) throw malformed('has an output schema, and answered neither structured content nor JSON')
    return parsed.value
  }
  const candidates = text === undefined ? [{ content }] : [...readings(text), { content }]
  return candidates.find((candidate) => result.decodeValue(candidate).ok) ?? candidates[0]
}

/**
 * The blocks of an answer.
 *
 * @throws {ToolFailure} `malformed_result` where they are no list of blocks.
 */
function contentOf({ content = [] }: McpToolResult): readonly McpContent[] {
  if (Array.isArray(content) && content.every(isBlock)) return content
  throw malformed('answered content that is no list of blocks')
}

/** The texts among the blocks, one below the other. */
function textOf(content: readonly McpContent[]): string {
  return content
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function isBlock(block: unknown): block is McpContent {
  return typeof block === 'object' && block !== null && 'type' in block && typeof block.type === 'string'
}

function onlyText(content: readonly McpContent[]): string | undefined {
  const [block] = content
  return content.length === 1 && block?.type === 'text' && typeof block.text === 'string' ? block.text : undefined
}

/** What a text may mean, the likeliest first: a number or a word as JSON may just as well be prose. */
function readings(text: string): readonly unknown[] {
  const parsed = parsedJson(text)
  if (parsed === undefined) return [text]
  return typeof parsed.value === 'object' && parsed.value !== null ? [parsed.value, text] : [text, parsed.value]
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    // Text that is no JSON is prose.
    return undefined
  }
}

function malformed(what: string): ToolFailure {
  const cause = new TypeError(`the MCP tool ${what}`)
  return new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', cause })
}
