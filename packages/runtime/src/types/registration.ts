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

interface AdapterContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly signal: AbortSignal
}

/**
 * Function that changes the JSON text of a payload before decoding, or of a result after encoding. The runtime
 * validates a changed payload, but not a changed result.
 */
export type JsonAdapter = (json: JsonText, context: AdapterContext) => JsonText | Promise<JsonText>

/** Options for the registration of a toolset, for example adapters and default layers. */
export interface RegistrationOptions {
  /**
   * Function that changes the arguments before decoding, once per call. If the adapter makes valid arguments invalid,
   * the call fails with the reason `internal`. Default: no changes.
   */
  readonly payloadAdapter?: JsonAdapter
  /**
   * Function that changes the JSON result for models, but not `result.data`. If the adapter throws, the call fails with
   * the reason `internal`. Default: no changes.
   */
  readonly resultAdapter?: JsonAdapter
  /** True if the executor decodes the arguments itself. Such an executor also receives invalid arguments. Default: `false`. */
  readonly decodeInExecutor?: boolean
  /**
   * Additional schemas, by tool name. The schema of the design validates a payload first. Then the additional schema validates the decoded payload.
   * Default: no additional schemas.
   */
  readonly checks?: Readonly<Record<string, StandardCheck>>
  /**
   * Hint templates by tool name, which override the templates of the design. A placeholder without a value becomes an
   * empty string. The runtime truncates values with more than 120 characters. Default: the templates of the design.
   */
  readonly hints?: Readonly<Record<string, HintTemplates>>
  /**
   * Default layers by tool name, which replace the default layers of the design. `false` removes the default layers of
   * one tool or of all tools. `timeoutMs` can be 1 to 2,147,483,647. `attempts` can be 2 to 100. `attempts` requires a
   * tool that is `readOnly`, is `idempotent`, or has a payload field that the runtime fills with `idempotencyKey`.
   *
   * @example
   * { defaultLayers: { getOrder: { timeoutMs: 5_000 }, searchOrders: false } }
   */
  readonly defaultLayers?: false | Readonly<Record<string, false | DefaultLayers>>
  /** Function that returns attributes for the telemetry of each call of the toolset's tools. Default: no attributes. */
  readonly telemetryBuilder?: TelemetryBuilder
}

/** Texts shown to people while a tool runs and after it has finished, for example `Looking up {{orderId}}`. */
interface HintTemplates {
  /** Template of the text about the call. Placeholders name fields of the payload. */
  readonly call?: string
  /** Template of the text about the result. Placeholders name fields of the result. */
  readonly result?: string
}

/** Tools of one toolset that an agent uses. Generated code contains this object. */
export interface ToolsetUse {
  /** Toolset that the agent uses. */
  readonly toolset: ToolsetDescriptor
  /** Name of the toolset in the agent. Default: `toolset.name`. */
  readonly as?: string
  /** Kind of the provider that runs the tools, e.g. `service` or `mcp`. */
  readonly provider: Provider
  /** Record of the selected tools: name in the toolset → name for models. Default: all tools, with the names of the design. */
  readonly toolNames?: Readonly<Record<string, string>>
  /** Maximum size of each result of these tools. Overrides the maximums of the agent and of the tools. Default: no override. */
  readonly maxResult?: MaxResult
  /**
   * Maximum size of each result, by the name of the tool in the toolset. Overrides all other maximums. The value
   * `undefined` removes the maximum. Default: no override.
   */
  readonly maxResults?: Readonly<Record<string, MaxResult | undefined>>
}

export interface LayeredTool<in Env = unknown> {
  /** Never set. TypeScript uses this property to compare the type argument `Env`. */
  readonly '~env'?: (env: Env) => void
  /** Adds a layer around the tool. The last added layer is the outermost layer. */
  layer(layer: ToolLayer): LayeredTool<Env>
  /** Adds a layer that requires an `env` of the type `More`. */
  layer<More>(layer: ToolLayer<More>): LayeredTool<Env & More>
}

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
  /** Never set. TypeScript uses this property to compare the type argument `Env`. */
  readonly '~env'?: (env: Env) => void
  /** Toolset, with the tools and tool names that the agent selects. */
  readonly use: ToolsetUse
  /** Executor that runs the tools. */
  readonly executor: ToolExecutor
  /** Adds a layer around every tool. The last added layer is the outermost layer. */
  layer(layer: ToolLayer): ToolsetRegistration<Env>
  /** Adds a layer that requires an `env` of the type `More`. */
  layer<More>(layer: ToolLayer<More>): ToolsetRegistration<Env & More>
  /**
   * Adds layers to one tool. The new layers wrap the layers that the tool already has. Layers that are added later wrap
   * the new layers.
   *
   * @throws {TypeError} if the toolset does not have the tool.
   *
   * @example
   * registration.tool(orders.cancelOrder, (tool) => tool.layer(approval()).layer(timeout(5_000)))
   */
  tool<More>(tool: ToolDescriptor, layers: (tool: LayeredTool) => LayeredTool<More>): ToolsetRegistration<Env & More>
  /** Internal: wraps `service` in the layers that this registration adds to the tool. */
  wrap(toolName: string, service: ToolService<any>): ToolService<any> // `any`: TypeScript checks `env` where calls start
}

/** Description of an agent in generated code. */
export interface AgentDescriptor {
  /** Name of the agent in the design. */
  readonly name: string
  /** Purpose of the agent, for people and for other agents. */
  readonly description: string
  /** Instructions for the agent's model, sent before the conversation. Default: no instructions. */
  readonly instructions?: string
  /** Limits of the agent's runs, as declared in the design. Absent if the design declares no limits. */
  readonly policy?: RunPolicy
  /** Maximum size of each result of the agent's tools. Overrides the maximums of the tools. Default: no override. */
  readonly maxResult?: MaxResult
}

/**
 * Options of a tool that an agent exports. A call of the tool starts a nested run of the agent. The options set the first message and the
 * instructions of the nested run, and the format of the result (text or JSON).
 */
export interface ExportedTool {
  /** First message of the nested run, as a fixed text. Cannot be combined with `template`. */
  readonly text?: string
  /**
   * First message of the nested run, as a template that the runtime fills with the payload: `Investigate {{topic}}`.
   * Cannot be combined with `text`.
   */
  readonly template?: string
  /** Instructions that replace the instructions of the agent. Default: the instructions of the agent. */
  readonly systemPrompt?: string
  /**
   * True if the model returns the result as plain text. The option requires a result schema that allows a string.
   * Default: `false`, so that the model returns JSON.
   */
  readonly prose?: boolean
}

/** Toolset that an agent exports. Generated code contains this object. */
export interface ToolsetExport {
  readonly toolset: ToolsetDescriptor
  readonly agent: AgentDescriptor
  /**
   * Options of the exported tools, by tool name. By default, the first message of the nested run contains the
   * description and the arguments of the tool.
   */
  readonly tools?: Readonly<Record<string, ExportedTool>>
}

/** Options for one tool that an agent exports. These options override the design. */
export interface AgentToolOptions<Result = unknown> extends ExportedTool {
  /**
   * Function that computes the result of the tool from the nested run. The call fails if the function throws or returns a `ToolFailure`. By default,
   * the result is the structured answer of the nested run. Without a structured answer, the result is the result of the completed call of this run,
   * or the array of the results of several completed calls. If that does not match the result schema, the result is the answer, parsed as JSON.
   */
  readonly aggregate?: (run: AgentRun) => Result | ReturnedFailure | Promise<Result | ReturnedFailure>
}

/** Options for the registration of a toolset that an agent exports. `Results` contains the result types of the tools, by tool name. */
export interface AgentToolsetOptions<Results = Readonly<Record<string, unknown>>> extends RegistrationOptions {
  readonly tools?: { readonly [Tool in keyof Results]?: AgentToolOptions<Results[Tool]> }
  /**
   * True if the parent run does not emit the events of the nested run. The option `deepTracing` of a run overrides this
   * option. Default: `true`.
   */
  readonly suppressChildEvents?: boolean
}
