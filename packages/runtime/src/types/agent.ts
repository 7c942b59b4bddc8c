import type { ToolsetDescriptor } from './call.js'
import type { RegistrationOptions } from './registration.js'
import type { AgentRun, RunPolicy } from './run.js'

/** An agent as generated code describes it. */
export interface AgentDescriptor {
  readonly name: string
  readonly description: string
  /** Instructions for the agent's model, before a conversation. */
  readonly instructions?: string
  /** The run policy that the design states. */
  readonly policy?: RunPolicy
}

/** First messages and result of the run of an agent that serves a call of one of its tools. */
export interface ExportedTool {
  /** The first message, always the same. */
  readonly text?: string
  /** The first message as a template over the payload, e.g. `Investigate {{topic}}`. Not beside `text`. */
  readonly template?: string
  /** Instructions that replace those of the agent. */
  readonly systemPrompt?: string
  /** Accepts prose as the result of a tool whose schema takes a string. Default `false`: the model is asked for JSON. */
  readonly prose?: boolean
}

/** A toolset that an agent exports, as generated code describes it. */
export interface ToolsetExport {
  readonly toolset: ToolsetDescriptor
  readonly agent: AgentDescriptor
  /** By tool name; a tool that is not named is told its description and its arguments. */
  readonly tools?: Readonly<Record<string, ExportedTool>>
}

/** Options for one tool of an agent; they override the design. */
export interface AgentToolOptions<Result = unknown> extends ExportedTool {
  /** Makes the result out of the run that served the call, whatever the run answered. What it throws fails the call. */
  readonly aggregate?: (run: AgentRun) => Result | Promise<Result>
}

/** Options for the registration of an agent's toolset. `Results` has the results of its tools, by name. */
export interface AgentToolsetOptions<Results = Readonly<Record<string, unknown>>> extends RegistrationOptions {
  readonly tools?: { readonly [Tool in keyof Results]?: AgentToolOptions<Results[Tool]> }
  /** Hides the events of the agent's runs from the parent run. Default `true`; `deepTracing` of a run overrides it. */
  readonly suppressChildEvents?: boolean
}
