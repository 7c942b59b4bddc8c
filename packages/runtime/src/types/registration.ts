import type { ToolExecutor } from './executor.js'
import type { JsonText, StandardCheck } from './json.js'
import type { ToolLayer, ToolService } from './layer.js'
import type { AgentRun, RunPolicy, TelemetryBuilder } from './run.js'
import type { AgentToolSpec, DefaultLayers, Provider, ToolCallMeta, ToolDescriptor, ToolsetDescriptor } from './tool.js'

/** Context of an adapter call. */
interface AdapterContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly signal: AbortSignal
}

/** Changes the JSON of a payload before decoding, or of a result after encoding. The result is not validated again. */
export type JsonAdapter = (json: JsonText, context: AdapterContext) => JsonText | Promise<JsonText>

/** Options of a toolset registration. */
export interface RegistrationOptions {
  /**
   * Changes the arguments before decoding, once per call. If the adapter makes valid arguments invalid, the call fails
   * with the reason `internal`.
   */
  readonly payloadAdapter?: JsonAdapter
  /**
   * Changes the JSON result that a model reads, but not `result.data`. If the adapter throws, the call fails with the
   * reason `internal`.
   */
  readonly resultAdapter?: JsonAdapter
  /**
   * True if the executor decodes the arguments itself. The executor then also receives invalid arguments. Default:
   * `false`.
   */
  readonly decodeInExecutor?: boolean
  /** Schemas that validate the decoded payload, by tool name. */
  readonly checks?: Readonly<Record<string, StandardCheck>>
  /** Hint templates that replace those of the design, by tool name. Absent fields become empty strings. */
  readonly hints?: Readonly<Record<string, HintTemplates>>
  /**
   * Replaces the default layers of the design, by tool name. `false` removes the default layers of one tool, or of all
   * tools. Allowed values: `timeoutMs` from 1 to 2,147,483,647; `attempts` from 2 to 100, only for a tool that is
   * `readOnly` or `idempotent`.
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
  /** Template over the payload. */
  readonly call?: string
  /** Template over the result. */
  readonly result?: string
}

/** Use of a toolset by an agent, from generated code. */
export interface ToolsetUse {
  /** Used toolset. */
  readonly toolset: ToolsetDescriptor
  /** The agent's name for this use. Default: the name of the toolset. */
  readonly as?: string
  /** Kind of the provider that runs the tools. */
  readonly provider: Provider
  /** Selected tools and their tool names, by name in the toolset. Default: all tools with the names of the design. */
  readonly toolNames?: Readonly<Record<string, string>>
}

/** Tool of a registration to which layers can be added. */
export interface LayeredTool<in Env = unknown> {
  /** Never set. Makes TypeScript compare the type `Env` of two values. */
  readonly '~env'?: (env: Env) => void
  /** Adds a layer around the tool. The last added layer is the outermost. */
  layer(layer: ToolLayer): LayeredTool<Env>
  /** Adds a layer that requires an `env`. */
  layer<More>(layer: ToolLayer<More>): LayeredTool<Env & More>
}

/** Combined requirements of the layers of several registrations. */
export type EnvOfAll<Registrations extends readonly ToolsetRegistration<never>[]> = Registrations extends readonly []
  ? unknown
  : [Registrations[number]] extends [ToolsetRegistration<infer Env>]
    ? Env
    : never

/** A toolset with its executor and layers, which require `Env`. Immutable: `layer` and `tool` return a new one. */
export interface ToolsetRegistration<in Env = unknown> extends RegistrationOptions {
  /** Never set. Makes TypeScript compare the type `Env` of two values. */
  readonly '~env'?: (env: Env) => void
  /** Use of the toolset. */
  readonly use: ToolsetUse
  /** Executor of the tools. */
  readonly executor: ToolExecutor
  /** Adds a layer around every tool. The last added layer is the outermost. */
  layer(layer: ToolLayer): ToolsetRegistration<Env>
  /** Adds a layer that requires an `env`. */
  layer<More>(layer: ToolLayer<More>): ToolsetRegistration<Env & More>
  /**
   * Adds layers to one tool. They are outside the layers that were added before, and inside the layers that are added
   * later.
   *
   * @throws {TypeError} if the toolset does not have the tool.
   *
   * @example
   * registration.tool(orders.cancelOrder, (tool) => tool.layer(approval()).layer(timeout(5_000)))
   */
  tool<More>(tool: ToolDescriptor, layers: (tool: LayeredTool) => LayeredTool<More>): ToolsetRegistration<Env & More>
  /** Internal: returns the service of a tool with the layers of this registration. */
  wrap(toolName: string, service: ToolService<any>): ToolService<any> // `any`: TypeScript checks `env` where calls start
}

/** Agent, from generated code. */
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

/** Options of a tool that an agent exports: the first message of the nested run and the form of its result. */
export interface ExportedTool {
  /** First message without parameters. */
  readonly text?: string
  /**
   * First message as a template over the payload, for example `Investigate {{topic}}`. Cannot be combined with `text`.
   */
  readonly template?: string
  /** Instructions that replace those of the agent. */
  readonly systemPrompt?: string
  /**
   * True if the model returns the result as plain text; the result schema must then allow a string. Default: `false`:
   * the model returns JSON.
   */
  readonly prose?: boolean
}

/** Toolset that an agent exports, from generated code. */
export interface ToolsetExport {
  readonly toolset: ToolsetDescriptor
  readonly agent: AgentDescriptor
  /** Options by tool name. By default, the first message contains the description and the arguments of the tool. */
  readonly tools?: Readonly<Record<string, ExportedTool>>
}

/** Options for one tool of an agent; they override the design. */
export interface AgentToolOptions<Result = unknown> extends ExportedTool {
  /** Computes the tool's result from the nested run that served the call. If this function throws, the call fails. */
  readonly aggregate?: (run: AgentRun) => Result | Promise<Result>
}

/** Options for the registration of an agent's toolset. `Results` has the results of its tools, by name. */
export interface AgentToolsetOptions<Results = Readonly<Record<string, unknown>>> extends RegistrationOptions {
  readonly tools?: { readonly [Tool in keyof Results]?: AgentToolOptions<Results[Tool]> }
  /** Hides the events of the nested run from the parent run. `deepTracing` of a run overrides it. Default: `true`. */
  readonly suppressChildEvents?: boolean
}
