import type { ExecutorRequest, ToolLayer } from '@toolgen/runtime'
import type { Planner, RunPolicy } from '@toolgen/runtime/agents'
import type { DurableAgents, DurableFacts, DurableSessionsOptions, UnknownOutcome } from '@toolgen/runtime/durable'

/** Settings of the agents. */
export interface ScriptedAgentsSetting {
  /** Called for each effect, for example `cancel A`. */
  readonly effect: (effect: string, request: ExecutorRequest) => unknown
  /** Policy of `support`. Default: no limits. */
  readonly policy?: RunPolicy
  /** Changes the script, as a deployment of other code does. */
  readonly deployed?: (script: string) => string
  readonly unknownOutcome?: UnknownOutcome
  /** Tools of `orders` that the agents have. Default: all. */
  readonly only?: readonly string[]
  /** Layer of `support` around the calls of `research`. Default: none. */
  readonly aroundResearch?: ToolLayer
  readonly sessions?: DurableSessionsOptions
  /** Receives the data of each attempt of a run or of a call of a session. */
  readonly onStart?: (facts: DurableFacts) => unknown
  /** Changes the planner, which follows the script. */
  readonly decide?: (planner: Planner) => Planner
}

export function scriptedAgents(setting: ScriptedAgentsSetting): DurableAgents
