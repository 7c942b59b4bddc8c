const words: readonly string[] = [
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends',
  'false finally for function if implements import in instanceof interface let new null package private protected',
  'public return static super switch this throw true try typeof var void while with yield',
  'async exports module of require then undefined NaN Infinity globalThis',
]

const globals: readonly string[] = [
  'AggregateError Array ArrayBuffer ArrayLike Atomics BigInt BigInt64Array BigUint64Array Boolean Buffer DataView Date',
  'Error EvalError FinalizationRegistry Float32Array Float64Array Function Int16Array Int32Array Int8Array Intl JSON',
  'Iterator Map Math Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String',
  'Symbol SyntaxError TypeError URIError URL Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef',
  'WeakSet AbortSignal AsyncGenerator AsyncIterable AsyncIterator Awaited Capitalize Exclude Extract Generator',
  'InstanceType Iterable IterableIterator Lowercase NoInfer NonNullable Omit Parameters Partial Pick PromiseLike',
  'PropertyKey Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Required ReturnType ThisType Uncapitalize',
  'Uppercase',
]

/** Names that generated files import from the runtime, and names of functions in the generated `specs.ts` of each agent. */
const runtime: readonly string[] = [
  'advertisedSpecs Agent AgentBinding AgentBuilder AgentDescriptor AgentOptions AgentToolsetOptions',
  'agentToolsetRegistration AgentToolSpec bindAgentToolset bindExecutor bindMcpToolset bindToolset BoundAgent CallOptions',
  'ClientOf Codec convert Decoded designedAgent ExecutorBinding exportedSpecs ExportedTool FailureFactory failureFactory HasApproval InNamespaces JsonAdapter',
  'JsonObject JsonSchema JsonText JsonValue Mapper McpBinding McpCaller McpCallerSource mcpExecutor McpExecutor',
  'McpExecutorOptions mcpPrompt McpPromptMessage McpReadOptions McpRequestOptions mcpResource McpResourceContents McpResources',
  'mcpResources McpServedTool mcpTools',
  'MetaField MetaSource MethodArgs MethodItem MethodResult ModelDriver',
  'newToolCall statusFailures offeredSpecs OptionsFor payloadCodec PrefixedTools Received registerAgent RegistrationOptions Requirement',
  'Requirements resultCodec RunPolicy Runtime ServerOwnedField ServiceBinding serviceExecutor serviceStream',
  'serviceTool specsOf standardAgent StandardCheck StreamMappers ToolAnnotations ToolCall ToolCallMeta',
  'ToolCallOptions ToolDescriptor toolDescriptors ToolExecutor ToolMappers ToolOutcome ToolsetBinding',
  'ToolsetDescriptor ToolsetExport ToolsetImport ToolsetRegistration toolsetRegistration ToolsetUse toolsOf',
  'ToolSearchIndex toolSpec ToolSpec Unfilled usedSpecs WithTools WrappingMapper',
]

export const reservedNames: ReadonlySet<string> = new Set(
  [...words, ...globals, ...runtime].flatMap((line) => line.split(' ')),
)

/** Windows rejects these device names as file names, even with an extension. */
export const reservedFileStem: RegExp = /^(?:con|prn|aux|nul|conin|conout|(?:com|lpt)\d)$/
