import type { McpAnswer, McpElicitation } from './elicitation.js'
import type { ToolExecutor } from './executor.js'
import type { JsonObject, JsonSchema } from './json.js'
import type { McpConnectionInfo, TraceContext } from './run.js'
import type { ToolsetDescriptor } from './tool.js'

export interface McpServerInfo {
  readonly name: string
  readonly version: string
}

/** Tool in the `tools/list` response of an MCP server. */
export interface McpToolInfo {
  /** Name of the tool on the server. */
  readonly name: string
  /** Title of the tool for people. Absent if the server declares no title. */
  readonly title?: string
  /** Description of the tool for models. Absent if the server declares no description. */
  readonly description?: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema
  /** JSON Schema of the structured result. Absent if the server declares no schema. */
  readonly outputSchema?: JsonSchema
  /** Hints about the effects of the tool, such as `readOnlyHint`. Absent if the server declares no hints. */
  readonly annotations?: JsonObject
  /**
   * Metadata of the tool. MCP servers of toolgen send the declared failures of the tool in the property
   * `toolgen/failures`. Absent if the server sends no metadata.
   */
  readonly _meta?: JsonObject
}

/**
 * One item in the content of an MCP tool's result: `text`, `image`, `audio`, `resource`, `resource_link` or a kind that
 * a later protocol version defines.
 */
export interface McpContent extends JsonObject {
  /** Kind of the item, for example `text` or `image`. */
  readonly type: string
}

/** Response of an MCP server to `tools/call`, unvalidated. */
export interface McpToolResult {
  /** Content items of the result: an array of {@link McpContent}. */
  readonly content?: unknown
  /** Structured result: a JSON object that the output schema of the tool describes. Absent if the tool returns only `content`. */
  readonly structuredContent?: unknown
  /** `true` if the tool failed. In this case, `content` describes the error. */
  readonly isError?: unknown
  /**
   * Metadata of the result. If the tool failed with a declared failure, the property `toolgen/failure` contains the
   * name (`reason`) and the `data` of the failure.
   */
  readonly _meta?: unknown
  /**
   * Questions that the user must answer before the server continues. To continue, repeat the call with the answers.
   * Present only if the call has the option `allowInputRequired`. If `inputRequired` is present, all other properties
   * are absent.
   */
  readonly inputRequired?: McpElicitation
}

export interface McpProgress {
  /** Progress so far, for example the number of processed files. */
  readonly progress: number
  /** Value of `progress` at the end of the call. Absent if unknown. */
  readonly total?: number
  readonly message?: string
}

/** Request to call a tool of an MCP server. */
export interface McpToolCall {
  /** Name of the tool on the server. */
  readonly name: string
  /** Arguments of the call as a JSON object. */
  readonly arguments: JsonObject
  /** Answers to the questions that the server asked in its response to this call, by the keys of the questions. Absent for a new call. */
  readonly inputResponses?: Readonly<Record<string, McpAnswer>>
  /** The `requestState` of the response with the questions. Absent if the call is new or that response contained no `requestState`. */
  readonly requestState?: string
}

export interface McpCallOptions {
  /** Signal that cancels the call. The `McpCaller` notifies the server of the cancellation. */
  readonly signal: AbortSignal
  /**
   * Maximum time without a response or progress, in milliseconds. If the server runs the call as a task, this is the maximum time of each request
   * about the task. Default: the time limit of the `McpCaller`.
   */
  readonly timeoutMs?: number
  /** Function that receives the progress of the call, and the status messages of a task. If this option is set, the request asks the server to report progress. */
  readonly onProgress?: (progress: McpProgress) => void
  /**
   * `true`: if the server asks questions, `callTool` returns the questions as `inputRequired`. `false`: the server must not ask questions. An
   * `McpCaller` that answers questions itself ignores this option. Default: `false`.
   */
  readonly allowInputRequired?: boolean
  /** Trace context that the request sends in `_meta`, so that spans of the server belong to the trace of the call. Default: no trace context. */
  readonly traceContext?: TraceContext
}

/** Resource in the `resources/list` response of an MCP server: a file or other data that clients can read. */
export interface McpResource {
  /** URI that identifies the resource, for example `file:///notes.txt`. */
  readonly uri: string
  /** Name of the resource. Default: its URI. */
  readonly name: string
  /** Title of the resource for people. Absent if the server declares no title. */
  readonly title?: string
  /** Description of the resource. Absent if the server declares no description. */
  readonly description?: string
  /** Media type of the resource, for example `text/plain`. Absent if the server declares no media type. */
  readonly mimeType?: string
  /** Size in bytes. Absent if the server declares no size. */
  readonly size?: number
}

/** Resource template in the `resources/templates/list` response of an MCP server: a URI with variables, which describes several resources. */
export interface McpResourceTemplate {
  /** URI template of RFC 6570, for example `file:///{path}`. */
  readonly uriTemplate: string
  /** Name of the template. Default: its URI template. */
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/**
 * Contents of a resource: text or base64. One resource can have several contents, such as the files of a folder.
 *
 * @example
 * const [contents] = await files.readResource('file:///notes.txt')
 * if (contents?.type === 'text') console.log(contents.text)
 */
export type McpResourceContents = {
  /** URI of these contents. */
  readonly uri: string
  /** Media type of these contents. Absent if the server declares no media type. */
  readonly mimeType?: string
} & (
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'blob'
      /** Bytes of the resource as base64. */
      readonly blob: string
    }
)

export interface McpPromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
}

export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** Arguments of the prompt. All values are strings. */
  readonly arguments: readonly McpPromptArgument[]
}

/** Options of requests for resources and prompts: abort signal and time limit. */
export interface McpRequestOptions {
  /** Signal that cancels the request. Default: no signal. */
  readonly signal?: AbortSignal
  /** Maximum time without a response, in milliseconds. Default: the time limit of the `McpCaller`. */
  readonly timeoutMs?: number
}

/** Options for reading a resource: abort signal, time limit and size limit. */
export interface McpReadOptions extends McpRequestOptions {
  /**
   * Maximum size of all contents of the resource, in bytes. For a larger resource, the method rejects with an `McpCallError` with the code
   * `too_large`. Default: 10,000,000.
   */
  readonly maxBytes?: number
}

/**
 * Connection to an MCP server, with which an executor calls tools. `@toolgen/runtime/mcp` contains implementations for stdio, Streamable HTTP and
 * SSE, whose promises reject with an `McpCallError`. Tests can implement this interface themselves.
 */
export interface McpCaller {
  /** Name and version of the server; `undefined` before the connection is established. */
  readonly server: McpServerInfo | undefined
  /** Protocol version and session of the current connection, for telemetry. Absent if this `McpCaller` does not provide this data. */
  readonly connection?: McpConnectionInfo | undefined
  /**
   * Calls a tool. If the server runs the call as a task, waits for the result of the task. Rejects if the server returns no result. A result with
   * `isError` does not cause a rejection.
   */
  callTool(call: McpToolCall, options: McpCallOptions): Promise<McpToolResult>
  /** Returns all tools of the server, from all pages. */
  listTools(options?: { readonly signal?: AbortSignal }): Promise<readonly McpToolInfo[]>
  /**
   * Adds a listener for changes of the server's tools. Returns a function that removes the listener. Absent if
   * this `McpCaller` does not detect changes.
   */
  onToolsChanged?(listener: () => void): () => void
  /** Returns all resources of the server, or an empty array if the server has no resources. Absent if resources are not supported. */
  listResources?(options?: McpRequestOptions): Promise<readonly McpResource[]>
  /**
   * Returns all resource templates of the server, or an empty array if the server has no templates. Absent if
   * templates are not supported.
   */
  listResourceTemplates?(options?: McpRequestOptions): Promise<readonly McpResourceTemplate[]>
  /** Reads a resource. Absent if resources are not supported. */
  readResource?(uri: string, options?: McpReadOptions): Promise<readonly McpResourceContents[]>
  /** Returns all prompts of the server, or an empty array if the server has no prompts. Absent if prompts are not supported. */
  listPrompts?(options?: McpRequestOptions): Promise<readonly McpPrompt[]>
  /** Returns the unvalidated response to `prompts/get`. Absent if prompts are not supported. */
  getPrompt?(name: string, args: Readonly<Record<string, string>>, options?: McpRequestOptions): Promise<object>
  /** Closes the connection. If this `McpCaller` started the server process, also ends this process. */
  close(): Promise<void>
}

/** An `McpCaller`, or a function that returns an `McpCaller`. The executor calls the function before its first request to the server. */
export type McpCallerSource = McpCaller | (() => McpCaller | Promise<McpCaller>)

/** Imported tool of an MCP server, with its description and schemas at the time of the import. */
export interface McpServedTool {
  /** Name of the tool on the server. */
  readonly name: string
  /** Description of the tool at the time of the import. Absent if the server declares no description. */
  readonly description?: string
  /** JSON Schema of the arguments at the time of the import. Absent for a tool that was declared by hand. */
  readonly inputSchema?: JsonSchema
  /** JSON Schema of the result. Absent if the server declares no schema. */
  readonly outputSchema?: JsonSchema
}

/** Toolset that was imported from an MCP server. Generated code contains this object. */
export interface ToolsetImport {
  readonly toolset: ToolsetDescriptor
  /** Imported tools, by their name in the toolset. */
  readonly tools: Readonly<Record<string, McpServedTool>>
  /** Names of the server's tools that are not in the toolset. Default: no names. */
  readonly unused?: readonly string[]
  /** Name and version that the server reported at the time of the import. Absent if unknown. */
  readonly server?: McpServerInfo
}

/**
 * Kind of a difference between an imported tool and the current tool. `removed`, `added`: a tool was removed or added.
 * `narrowed`, `widened`: a schema accepts fewer or more values. `described`: the description changed.
 */
export type McpDriftKind = 'removed' | 'added' | 'narrowed' | 'widened' | 'described'

export interface McpDrift {
  readonly tool: string
  readonly kind: McpDriftKind
  readonly side?: 'arguments' | 'result'
  /** JSON Pointer to the change within the schema. Absent if no schema changed. */
  readonly path?: string
  readonly message: string
}

/** Differences between an import and the current tools of a server. */
export interface McpDriftReport {
  /** Differences of the imported tools, in the order of the import. Added tools follow at the end. */
  readonly changes: readonly McpDrift[]
}

/** Options of an MCP executor: reaction to changed tools, and time limit of calls. */
export interface McpExecutorOptions {
  /**
   * Reaction to differences between the imported tools and the current tools of the server. Default: `warn`.
   *
   * - `warn`: the executor prints a warning.
   * - `ignore`: calls do not compare the tools, unless the server rejects a call.
   * - A function receives the report about the differences.
   * - `fail`: a call fails if its tool was removed, if its arguments schema accepts fewer values, or if its result
   *   schema accepts more values. Calls wait for the comparison.
   */
  readonly onDrift?: 'warn' | 'ignore' | 'fail' | ((report: McpDriftReport) => void)
  /**
   * Maximum time of a call without a response or progress, in milliseconds. If the server runs the call as a task, this is the maximum time of each
   * request about the task. Default: the time limit of the `McpCaller`.
   */
  readonly timeoutMs?: number
}

/** Executor of the tools of an MCP server. */
export interface McpExecutor extends ToolExecutor {
  /**
   * Connects to the server and compares its tools with the import. Repeats the comparison only if the server reports
   * changes. Tool calls also connect and compare, so a call of `ready` is optional.
   */
  ready(): Promise<McpDriftReport>
  /**
   * Returns the `McpCaller` that the executor uses. If the application passed a function that creates the `McpCaller`, the
   * executor calls this function before its first request to the server.
   */
  caller(): Promise<McpCaller>
}
