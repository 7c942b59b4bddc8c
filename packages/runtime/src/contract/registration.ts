import type { ToolsetDescriptor } from './descriptor.js'
import type { ToolExecutor } from './executor.js'
import type { JsonText } from './json.js'
import type { ToolCallMeta } from './meta.js'
import type { AgentToolSpec } from './spec.js'
import type { StandardCheck } from './standard-schema.js'
import type { Provider } from './tool-id.js'

/** What an adapter knows about the call whose JSON it changes. */
export interface AdapterContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly signal: AbortSignal
}

/** Changes the JSON of a payload before it is decoded, or of a result after it was encoded. Never re-validates. */
export type JsonAdapter = (json: JsonText, context: AdapterContext) => JsonText | Promise<JsonText>

/** What a registration may add to how the tools of a toolset are run. */
export interface RegistrationOptions {
  /**
   * Runs once per call, before the decode, also under retries. It may not add server-owned fields. Where the arguments
   * no longer decode through its doing, the call fails as `internal` and the model is not blamed.
   */
  readonly payloadAdapter?: JsonAdapter
  /** Runs after the result was encoded; changes what a model reads, never `result.data`. Its errors are `internal`. */
  readonly resultAdapter?: JsonAdapter
  /** Leave the decode to the executor: invalid arguments then reach it. Default false. */
  readonly decodeInExecutor?: boolean
  /** Schemas that are passed again after the codec, by tool name. */
  readonly checks?: Readonly<Record<string, StandardCheck>>
}

/** One use of a toolset by an agent, as generated code describes it. */
export interface ToolsetUse {
  readonly toolset: ToolsetDescriptor
  /** The name the agent gives to this use; absent: the toolset's own. */
  readonly as?: string
  readonly provider: Provider
  /** The selected tools with the names that models see, by tool name; absent: all tools under their own wire names. */
  readonly wireNames?: Readonly<Record<string, string>>
}

/** A use of a toolset with the executor that serves it. */
export interface ToolsetRegistration extends RegistrationOptions {
  readonly use: ToolsetUse
  readonly executor: ToolExecutor
}
