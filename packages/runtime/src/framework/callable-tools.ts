import type { ToolCall } from '../contract/call.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Acknowledgement } from '../contract/session.js'
import type { AgentToolSpec } from '../contract/spec.js'

/** How a call ended; of a streaming tool in a session that it has begun. */
export type Answered = ToolOutcome | Acknowledgement

/**
 * Tools that another framework can be given: a `BoundAgent`, a `BoundToolset`, a user's `Session`, or what stands in front of
 * one. `Env` names what the layers around them need.
 */
export type CallableTools<Env = unknown> = {
  /** Never present; carries the type. */
  readonly '~env'?: (env: Env) => void
  /** Executes one call, by the tool's id or wire name. */
  // `any`: what the call needs is checked by type where the options are given.
  execute(call: ToolCall, options: any): Promise<Answered>
} & (OfferedSpecs | OfferedTools)

/** As agents and toolsets name what may be called. */
interface OfferedSpecs {
  readonly specs: readonly AgentToolSpec[]
}

/** As sessions do. */
interface OfferedTools {
  readonly tools: readonly AgentToolSpec[]
}

/** What the layers around some tools need. */
export type EnvOf<Tools> = Tools extends { readonly '~env'?: (env: infer Env) => void } ? Env : unknown

/** The meta fields that nobody has to give: those that the runtime, or the session, fills by itself. */
export type SuppliedBy<Tools> = Tools extends OfferedTools ? 'toolCallId' | 'sessionId' : 'toolCallId'

/** What may be called, in the order of the design. */
export function specsOf(tools: CallableTools<never>): readonly AgentToolSpec[] {
  return 'specs' in tools ? tools.specs : tools.tools
}
