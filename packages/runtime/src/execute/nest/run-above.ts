import type { AgentDescriptor } from '../../contract/agent.js'
import type { HandoffItem } from '../../contract/run-item.js'
import type { EventScope } from '../../event/event-scope.js'
import type { TokenLedger } from './token-ledger.js'

/** What a run beneath a call takes over from what is above it. */
export interface RunAbove {
  /** The runtime of the call, told apart by what its calls share. */
  readonly runtime: object
  /** The configuration of the run: it holds beneath it too. Absent where there is none. */
  readonly config: unknown
  /** The agents at work above, the outermost first. */
  readonly agents: readonly AgentDescriptor[]
  /** How many agents may stand above a run. */
  readonly maxDepth: number
  /** What is spent beneath is spent above too; absent for a call outside a run. */
  readonly tokens: TokenLedger | undefined
  /** Where the events above go; absent where nobody listens. */
  readonly events: EventScope | undefined
  /** Receives the handoffs to runs beneath; absent for a call outside a run. */
  readonly items: { addHandoff(item: HandoffItem): void } | undefined
  /** Whether the events of runs beneath go there too, whatever their registrations say. */
  readonly deepTracing: boolean
}

/** How many agents may stand above a run where no policy says it. */
export const DEFAULT_MAX_DEPTH = 8
