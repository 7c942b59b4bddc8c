import type { ToolsetDescriptor } from './call.js'
import type { RegistrationOptions } from './registration.js'
import type { AgentRun, RunPolicy } from './run.js'

/** An agent as generated code describes it. */
export interface AgentDescriptor {
  readonly name: string
  readonly description: string
  /** What the agent's model is told before a conversation. */
  readonly instructions?: string
  /** The run policy that the design states. */
  readonly policy?: RunPolicy
}

/** What the run of an agent begins with that serves a call of one of its tools, and what of it is the result. */
export interface ExportedTool {
  /** The first message, always the same. */
  readonly text?: string
  /** The first message as a template over the payload, e.g. `Investigate {{topic}}`. Not beside `text`. */
  readonly template?: string
  /** What the model is told in place of the agent's instructions. */
  readonly systemPrompt?: string
  /** Whether prose is a result where the tool's schema takes a text. Default false: then JSON is asked for. */
  readonly prose?: boolean
}

/** How an agent serves a toolset that it exports, as generated code describes it. */
export interface ToolsetExport {
  readonly toolset: ToolsetDescriptor
  readonly agent: AgentDescriptor
  /** By tool name; a tool that is not named is told its description and its arguments. */
  readonly tools?: Readonly<Record<string, ExportedTool>>
}

/** What an application says of one tool of an agent; it goes before the design. */
export interface AgentToolOptions<Result = unknown> extends ExportedTool {
  /** Makes the result out of the run that served the call, whatever the run answered. What it throws fails the call. */
  readonly aggregate?: (run: AgentRun) => Result | Promise<Result>
}

/** What the registration of an agent's toolset takes beside the agent. `Results` are those of its tools, by name. */
export interface AgentToolsetOptions<Results = Readonly<Record<string, unknown>>> extends RegistrationOptions {
  readonly tools?: { readonly [Tool in keyof Results]?: AgentToolOptions<Results[Tool]> }
  /** Whether the events of the agent's runs are kept from those above. Default true; `deepTracing` of a run goes before it. */
  readonly suppressChildEvents?: boolean
}
