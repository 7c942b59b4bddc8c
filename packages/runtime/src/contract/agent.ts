import type { RunPolicy } from './run-policy.js'

/** An agent as generated code describes it. */
export interface AgentDescriptor {
  readonly name: string
  readonly description: string
  /** What the agent's model is told before a conversation. */
  readonly instructions?: string
  /** The run policy that the design states. */
  readonly policy?: RunPolicy
}
