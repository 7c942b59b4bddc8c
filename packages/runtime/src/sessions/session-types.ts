import type { RunOptions } from '../agents/bound-agent.js'
import type { BoundTools } from '../call/execute.js'
import type { RunConfig } from '../call/layer-scope.js'
import type { CallOptions, EnvOption, NeededOptions } from '../types/call-options.js'
import type { MetaField, NeedsOf, ToolCall } from '../types/tool.js'

/** Agents and toolsets of a session registry by name. A name is not empty and has no dot. */
export type NamedAgents = Readonly<Record<string, BoundTools<never>>>

/**
 * Names of the tool sources of a session: an agent or a toolset, one toolset that it uses (`<name>.<toolset>`), or a
 * namespace of their designs.
 */
export type NamespaceOf<Agents extends NamedAgents> =
  | AgentName<Agents>
  | `${AgentName<Agents>}.${string}`
  | DesignNamespaceOf<Agents[AgentName<Agents>]>

/** The `env` that the layers of the agents in these namespaces need. */
export type EnvOfNamespaces<Agents extends NamedAgents, Namespace extends string> = EnvOfTools<
  Agents[AgentOf<Agents, Namespace>]
>

/** Options of a call in a session. */
export type SessionCallOptions = Omit<CallOptions, 'sessionId'>

/** Options of a call in a session that requires none. */
export type PlainSessionOptions = SessionCallOptions & {
  readonly config?: RunConfig | undefined
  readonly env?: unknown
}

/** Options of a run in a session. */
export type SessionRunOptions = Omit<RunOptions, 'sessionId'>

/** Options of a run in a session that requires none. */
export type PlainSessionRunOptions = SessionRunOptions & {
  readonly config?: RunConfig | undefined
  readonly env?: unknown
}

/** Options of a run in a session, with the `env` that its layers need. */
export type SessionRunOptionsFor<Env, ConfigEnv> = SessionRunOptions &
  EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined }

/** Options of a call in a session, with its server-owned fields and the `env` that its layers need. */
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

/** Agents with a toolset in this namespace of designs. */
type AgentInDesign<Agents extends NamedAgents, Namespace extends string> = {
  readonly [Name in AgentName<Agents>]: Namespace extends DesignNamespaceOf<Agents[Name]> ? Name : never
}[AgentName<Agents>]

/** Every agent can have tools in the default namespace. */
type DesignNamespaceOf<Tools> =
  | 'default'
  | (Tools extends { readonly '~namespace'?: infer Namespace } ? Extract<Namespace, string> : never)

type EnvOfTools<Tools> = [Tools] extends [BoundTools<infer Env>] ? Env : never
