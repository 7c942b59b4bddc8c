import type { ToolExecutor } from './executor.js'
import type { JsonText, StandardCheck } from './json.js'
import type { ToolLayer, ToolService } from './layer.js'
import type { AgentRun, RunPolicy, TelemetryBuilder } from './run.js'
import type { AgentToolSpec, DefaultLayers, Provider, ToolCallMeta, ToolDescriptor, ToolsetDescriptor } from './tool.js'

/** Call whose JSON an adapter changes. */
interface AdapterContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly signal: AbortSignal
}

/** Changes the JSON of a payload before it is decoded, or of a result after it was encoded. Never re-validates. */
export type JsonAdapter = (json: JsonText, context: AdapterContext) => JsonText | Promise<JsonText>

/** Options of a toolset registration. */
export interface RegistrationOptions {
  /**
   * Changes the arguments once per call, before they are decoded. It must not add server-owned fields. If it makes
   * the arguments invalid, the call fails as `internal`.
   */
  readonly payloadAdapter?: JsonAdapter
  /** Changes the encoded result that a model reads; `result.data` stays the same. Its errors are `internal`. */
  readonly resultAdapter?: JsonAdapter
  /** Leaves decoding to the executor, which then also receives invalid arguments. Default `false`. */
  readonly decodeInExecutor?: boolean
  /** Schemas that run after the codec, by tool name. */
  readonly checks?: Readonly<Record<string, StandardCheck>>
  /** Hint templates that replace those of the design, by tool name. Absent fields are empty. */
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
interface HintTemplates {
  /** Over the payload. */
  readonly call?: string
  /** Over the result. */
  readonly result?: string
}

/** Use of a toolset by an agent, as generated code describes it. */
export interface ToolsetUse {
  /** Used toolset. */
  readonly toolset: ToolsetDescriptor
  /** The agent's name for this use. Default: the name of the toolset. */
  readonly as?: string
  /** Kind of what runs the tools. */
  readonly provider: Provider
  /** Selected tools with their tool names, by name in the toolset. Default: all tools with their own tool names. */
  readonly toolNames?: Readonly<Record<string, string>>
}

/** Tool of a registration to which layers can be added. */
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
 * Use of a toolset with its executor and its layers. `Env` is the env that the layers need. Immutable: `layer` and
 * `tool` return a new registration.
 */
export interface ToolsetRegistration<in Env = unknown> extends RegistrationOptions {
  /** Never present; carries the type. */
  readonly '~env'?: (env: Env) => void
  /** Use of the toolset. */
  readonly use: ToolsetUse
  /** Executor of the tools. */
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
  /** Returns the service of a tool with the layers of this registration. */
  wrap(toolName: string, service: ToolService<any>): ToolService<any> // `any`: the env is checked where calls begin
}

/** Agent as generated code describes it. */
export interface AgentDescriptor {
  /** Name of the agent. */
  readonly name: string
  /** Description of the agent. */
  readonly description: string
  /** Instructions for the agent's model, before the conversation. */
  readonly instructions?: string
  /** Run policy of the design. */
  readonly policy?: RunPolicy
}

/** Options of a tool that an agent exports: the first message of the run and the form of its result. */
export interface ExportedTool {
  /** The first message, always the same. */
  readonly text?: string
  /** First message as a template over the payload, e.g. `Investigate {{topic}}`. Not with `text`. */
  readonly template?: string
  /** Instructions that replace those of the agent. */
  readonly systemPrompt?: string
  /** Accepts text as the result of a tool whose schema allows a string. Default `false`: the model returns JSON. */
  readonly prose?: boolean
}

/** Toolset that an agent exports, as generated code describes it. */
export interface ToolsetExport {
  readonly toolset: ToolsetDescriptor
  readonly agent: AgentDescriptor
  /** Options by tool name. By default the first message of a run has the description and the arguments of the tool. */
  readonly tools?: Readonly<Record<string, ExportedTool>>
}

/** Options for one tool of an agent; they override the design. */
export interface AgentToolOptions<Result = unknown> extends ExportedTool {
  /** Returns the result of the tool from the run that served the call. An error that it throws fails the call. */
  readonly aggregate?: (run: AgentRun) => Result | Promise<Result>
}

/** Options for the registration of an agent's toolset. `Results` has the results of its tools, by name. */
export interface AgentToolsetOptions<Results = Readonly<Record<string, unknown>>> extends RegistrationOptions {
  readonly tools?: { readonly [Tool in keyof Results]?: AgentToolOptions<Results[Tool]> }
  /** Hides the events of the agent's runs from the parent run. Default `true`; `deepTracing` of a run overrides it. */
  readonly suppressChildEvents?: boolean
}
