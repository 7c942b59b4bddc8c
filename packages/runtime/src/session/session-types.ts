import type { NeedsOf, ToolCall } from '../contract/call.js'
import type { CallOptions, NeededOptions } from '../contract/call-options.js'
import type { EnvOption } from '../contract/capability.js'
import type { MetaField } from '../contract/meta.js'
import type { RunOptions } from '../execute/bound-agent.js'
import type { BoundTools } from '../execute/bound-tools.js'
import type { RunConfig } from '../layer/run-config.js'

/** Agents and toolsets by the names that sessions know them by: no empty ones, no dots. */
export type NamedAgents = Readonly<Record<string, BoundTools<never>>>

/**
 * Names of what the tools of a session come from: an agent or a toolset, one toolset in use of it (`<name>.<toolset>`), or a
 * namespace of their designs.
 */
export type NamespaceOf<Agents extends NamedAgents> =
  | AgentName<Agents>
  | `${AgentName<Agents>}.${string}`
  | DesignNamespaceOf<Agents[AgentName<Agents>]>

/** What the layers of the agents behind these namespaces need together. */
export type EnvOfNamespaces<Agents extends NamedAgents, Namespace extends string> = EnvOfTools<
  Agents[AgentOf<Agents, Namespace>]
>

/** What a caller says about one call in a session beside the call itself. */
export type SessionCallOptions = Omit<CallOptions, 'sessionId'>

/** The options of a call that needs none. */
export type PlainSessionOptions = SessionCallOptions & {
  readonly config?: RunConfig | undefined
  readonly env?: unknown
}

/** What a caller says about one run in a session beside its input. */
export type SessionRunOptions = Omit<RunOptions, 'sessionId'>

/** The options of a run that needs none. */
export type PlainSessionRunOptions = SessionRunOptions & {
  readonly config?: RunConfig | undefined
  readonly env?: unknown
}

/** The options of a run: what the layers around it need. */
export type SessionRunOptionsFor<Env, ConfigEnv> = SessionRunOptions &
  EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined }

/** The options of a call: what its server-owned fields are filled from, and what the layers around it need. */
export type SessionOptionsFor<Call extends ToolCall<unknown, MetaField>, Env, ConfigEnv> = SessionCallOptions &
  NeededOptions<Exclude<NeedsOf<Call>, 'sessionId'>> &
  EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined }

type AgentName<Agents extends NamedAgents> = keyof Agents & string

type AgentOf<Agents extends NamedAgents, Namespace extends string> =
  Namespace extends AgentName<Agents>
    ? Namespace
    : Namespace extends `${infer Name extends AgentName<Agents>}.${string}`
      ? Name
      : AgentInDesign<Agents, Namespace>

/** Agents of which toolsets are in a namespace of designs. */
type AgentInDesign<Agents extends NamedAgents, Namespace extends string> = {
  readonly [Name in AgentName<Agents>]: Namespace extends DesignNamespaceOf<Agents[Name]> ? Name : never
}[AgentName<Agents>]

/** Every agent can have tools in the default namespace. */
type DesignNamespaceOf<Tools> =
  | 'default'
  | (Tools extends { readonly '~namespace'?: infer Namespace } ? Extract<Namespace, string> : never)

type EnvOfTools<Tools> = [Tools] extends [BoundTools<infer Env>] ? Env : never
