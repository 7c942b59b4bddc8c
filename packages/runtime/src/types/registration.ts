import type { ToolExecutor } from './executor.js'
import type { ReturnedFailure } from './failure.js'
import type { JsonText, StandardCheck } from './json.js'
import type { ToolLayer, ToolService } from './layer.js'
import type { AgentRun, RunPolicy, TelemetryBuilder } from './run.js'
import type {
  AgentToolSpec,
  DefaultLayers,
  MaxResult,
  Provider,
  ToolCallMeta,
  ToolDescriptor,
  ToolsetDescriptor,
} from './tool.js'

/** Context that an adapter receives with the JSON. */
interface AdapterContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly signal: AbortSignal
}

/**
 * Changes the JSON of a payload before decoding, or of a result after encoding. A changed payload is validated, a
 * changed result is not.
 */
export type JsonAdapter = (json: JsonText, context: AdapterContext) => JsonText | Promise<JsonText>

/** Options of a toolset registration: adapters, checks, hints, default layers and telemetry. */
export interface RegistrationOptions {
  /**
   * Changes the arguments before decoding, once per call. If the adapter makes valid arguments invalid, the call fails with the reason
   * `internal`. Default: none.
   */
  readonly payloadAdapter?: JsonAdapter
  /**
   * Changes the JSON result that a model reads, but not `result.data`. If the adapter throws, the call fails with the reason `internal`.
   * Default: none.
   */
  readonly resultAdapter?: JsonAdapter
  /** True if the executor decodes the arguments itself. The executor then also receives invalid arguments. Default: `false`. */
  readonly decodeInExecutor?: boolean
  /** Tool name → schema that validates the decoded payload, in addition to the schema of the design. Default: none. */
  readonly checks?: Readonly<Record<string, StandardCheck>>
  /** Tool name → hint templates, which override the templates of the design. Fields without a value become empty strings; values are cut at 120 characters. Default: none. */
  readonly hints?: Readonly<Record<string, HintTemplates>>
  /**
   * Tool name → default layers, which replace those of the design. `false` removes the default layers of one tool, or of all tools. Allowed
   * values: `timeoutMs` from 1 to 2,147,483,647; `attempts` from 2 to 100, only for a tool that is `readOnly` or `idempotent`, or has a
   * server-owned field from `idempotencyKey`.
   *
   * @example
   * { defaultLayers: { getOrder: { timeoutMs: 5_000 }, searchOrders: false } }
   */
  readonly defaultLayers?: false | Readonly<Record<string, false | DefaultLayers>>
  /** Returns attributes for the telemetry of each call of the toolset's tools. Default: none. */
  readonly telemetryBuilder?: TelemetryBuilder
}

/** Texts shown to people while a tool runs and after it has finished, for example `Looking up {{orderId}}`. */
interface HintTemplates {
  /** Template of the text about the call. Placeholders name fields of the payload. */
  readonly call?: string
  /** Template of the text about the result. Placeholders name fields of the result. */
  readonly result?: string
}

/** A toolset as an agent uses it, from generated code. */
export interface ToolsetUse {
  /** Toolset that the agent uses. */
  readonly toolset: ToolsetDescriptor
  /** Name of the toolset in the agent. Default: the toolset's own name. */
  readonly as?: string
  /** Kind of the provider that runs the tools. */
  readonly provider: Provider
  /**
   * Selects tools and names them for the model: name in the toolset → name that the model receives. Default: all tools, with the names from
   * the design.
   */
  readonly toolNames?: Readonly<Record<string, string>>
  /**
   * Maximum size of each result of the tools in this use. Overrides the maximum of the agent and the maximums of the tools. Default: none.
   */
  readonly maxResult?: MaxResult
  /**
   * Name of a tool in the toolset → maximum size of each of its results. Overrides all other maximums. `undefined`: no maximum. Default:
   * none.
   */
  readonly maxResults?: Readonly<Record<string, MaxResult | undefined>>
}

/** Tool of a registration to which layers can be added. */
export interface LayeredTool<in Env = unknown> {
  /** Never set. Only makes TypeScript compare the type argument `Env`. */
  readonly '~env'?: (env: Env) => void
  /** Adds a layer around the tool. The last added layer is the outermost. */
  layer(layer: ToolLayer): LayeredTool<Env>
  /** Adds a layer that requires an `env` of the type `More`. */
  layer<More>(layer: ToolLayer<More>): LayeredTool<Env & More>
}

/** The `env` type that the layers of several registrations require. */
export type EnvOfAll<Registrations extends readonly ToolsetRegistration<never>[]> = Registrations extends readonly []
  ? unknown
  : [Registrations[number]] extends [ToolsetRegistration<infer Env>]
    ? Env
    : never

/**
 * A toolset with its executor and layers. The layers require an `env` of the type `Env`. Immutable: `layer` and `tool`
 * return a new registration.
 */
export interface ToolsetRegistration<in Env = unknown> extends RegistrationOptions {
  /** Never set. Only makes TypeScript compare the type argument `Env`. */
  readonly '~env'?: (env: Env) => void
  /** Toolset, with the names and the tools that the agent selects. */
  readonly use: ToolsetUse
  /** Executor that runs the tools. */
  readonly executor: ToolExecutor
  /** Adds a layer around every tool. The last added layer is the outermost. */
  layer(layer: ToolLayer): ToolsetRegistration<Env>
  /** Adds a layer that requires an `env` of the type `More`. */
  layer<More>(layer: ToolLayer<More>): ToolsetRegistration<Env & More>
  /**
   * Adds layers to one tool. The new layers are outside the layers that were added before, and inside the layers that
   * are added later.
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

/** Description of an agent in generated code. */
export interface AgentDescriptor {
  /** Name of the agent in the design. */
  readonly name: string
  /** Purpose of the agent, for people and for agents that call it. */
  readonly description: string
  /** Instructions for the agent's model, before the conversation. Default: none. */
  readonly instructions?: string
  /** Limits of the agent's runs, as declared in the design. Absent if the design declares none. */
  readonly policy?: RunPolicy
  /** Maximum size of each result of the agent's tools. Overrides the maximum of a tool. Default: none. */
  readonly maxResult?: MaxResult
}

/** Options of a tool that an agent exports: the first message of the nested run, and the form of its result. */
export interface ExportedTool {
  /** First message of the nested run, as a fixed text. Cannot be combined with `template`. */
  readonly text?: string
  /**
   * First message of the nested run, as a template that is filled with the payload: `Investigate {{topic}}`. Cannot be
   * combined with `text`.
   */
  readonly template?: string
  /** Instructions that replace those of the agent. Default: the instructions of the agent. */
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
  /**
   * Tool name → options of the exported tool. By default, the first message of the nested run contains the description and the arguments of
   * the tool.
   */
  readonly tools?: Readonly<Record<string, ExportedTool>>
}

/** Options for one tool of an agent; they override the design. */
export interface AgentToolOptions<Result = unknown> extends ExportedTool {
  /**
   * Computes the tool's result from the nested run of the call. If this function throws, or returns a `ToolFailure`, the call fails. Default: the answer of the run, or
   * a result of its calls, that matches the result schema.
   */
  readonly aggregate?: (run: AgentRun) => Result | ReturnedFailure | Promise<Result | ReturnedFailure>
}

/** Options for the registration of an agent's toolset. `Results`: tool name → result type of the tool. */
export interface AgentToolsetOptions<Results = Readonly<Record<string, unknown>>> extends RegistrationOptions {
  readonly tools?: { readonly [Tool in keyof Results]?: AgentToolOptions<Results[Tool]> }
  /** Hides the events of the nested run from the parent run. The option `deepTracing` of a run overrides this option. Default: `true`. */
  readonly suppressChildEvents?: boolean
}
