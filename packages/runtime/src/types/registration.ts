import type { ToolDescriptor, ToolsetDescriptor } from './call.js'
import type { ToolExecutor } from './executor.js'
import type { JsonText, StandardCheck } from './json.js'
import type { ToolLayer, ToolService } from './layer.js'
import type { TelemetryBuilder } from './run.js'
import type { AgentToolSpec, DefaultLayers, Provider, ToolCallMeta } from './tool.js'

/** Call whose JSON an adapter changes. */
export interface AdapterContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly signal: AbortSignal
}

/** Changes the JSON of a payload before it is decoded, or of a result after it was encoded. Never re-validates. */
export type JsonAdapter = (json: JsonText, context: AdapterContext) => JsonText | Promise<JsonText>

/** Options of a toolset registration. */
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
  /** Hint templates in place of the design's, by tool name. Fields that are absent are shown as nothing. */
  readonly hints?: Readonly<Record<string, HintTemplates>>
  /**
   * Default layers in place of the design's, by tool name; `false` removes those of a tool, `false` alone those of all.
   * The rules of the design hold: `timeoutMs` from 1 to 2,147,483,647; `attempts` from 2 to 100, for `readOnly` or `idempotent` tools.
   *
   * @example
   * { defaultLayers: { getOrder: { timeoutMs: 5_000 }, searchOrders: false } }
   */
  readonly defaultLayers?: false | Readonly<Record<string, false | DefaultLayers>>
  /** Adds attributes to the telemetry of these tools' calls. */
  readonly telemetryBuilder?: TelemetryBuilder
}

/** Texts shown to people while a tool runs and after it has finished, for example `Looking up {{orderId}}`. */
export interface HintTemplates {
  /** Over the payload. */
  readonly call?: string
  /** Over the result. */
  readonly result?: string
}

/** One use of a toolset by an agent, as generated code describes it. */
export interface ToolsetUse {
  readonly toolset: ToolsetDescriptor
  /** The name the agent gives to this use; absent: the toolset's own. */
  readonly as?: string
  readonly provider: Provider
  /** The selected tools with the names that models see, by tool name; absent: all tools under their own tool names. */
  readonly toolNames?: Readonly<Record<string, string>>
}

/** One tool of a registration on its way to its layers. */
export interface LayeredTool<in Env = unknown> {
  /** Never present; carries the type. */
  readonly '~env'?: (env: Env) => void
  /** The tool with one more layer around it; the last one is the outermost. */
  layer(layer: ToolLayer): LayeredTool<Env>
  /** The same with a layer that needs something of the env. */
  layer<More>(layer: ToolLayer<More>): LayeredTool<Env & More>
}

/** Combined requirements of the layers of several registrations. */
export type EnvOfAll<Registrations extends readonly ToolsetRegistration<never>[]> = Registrations extends readonly []
  ? unknown
  : [Registrations[number]] extends [ToolsetRegistration<infer Env>]
    ? Env
    : never

/**
 * A use of a toolset with the executor that serves it, and the layers of the tool scope around it. `Env` names what the
 * layers need. Immutable: `layer` and `tool` return a new registration.
 */
export interface ToolsetRegistration<in Env = unknown> extends RegistrationOptions {
  /** Never present; carries the type. */
  readonly '~env'?: (env: Env) => void
  readonly use: ToolsetUse
  readonly executor: ToolExecutor
  /** Wraps every tool of this registration; the last layer is the outermost. */
  layer(layer: ToolLayer): ToolsetRegistration<Env>
  /** The same with a layer that needs something of the env. */
  layer<More>(layer: ToolLayer<More>): ToolsetRegistration<Env & More>
  /**
   * Wraps one tool, inside the layers that are added later and around those that were added before.
   *
   * @throws {TypeError} when the toolset has no such tool.
   *
   * @example
   * registration.tool(orders.cancelOrder, (tool) => tool.layer(approval()).layer(timeout(5_000)))
   */
  tool<More>(tool: ToolDescriptor, layers: (tool: LayeredTool) => LayeredTool<More>): ToolsetRegistration<Env & More>
  /** The service of a tool with the layers of this registration around it. */
  wrap(toolName: string, service: ToolService<any>): ToolService<any> // `any`: the env is checked where calls begin
}
