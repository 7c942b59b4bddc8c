import type { AgentDescriptor } from '../../contract/agent.js'
import type { EventSink } from '../../contract/event.js'
import type { ResumeClaims, SuspensionSigner } from '../../contract/resume.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import type { Tracer } from '../../contract/telemetry.js'
import type { EventScope } from '../../event/event-scope.js'
import { LayerScope } from '../../layer/layer-scope.js'
import type { RunConfig } from '../../layer/run-config.js'
import type { CallResumption } from '../nest/call-resumption.js'
import type { RunAbove } from '../nest/run-above.js'
import type { ServiceContext } from '../pipeline/service-context.js'
import type { AbortListeners } from './abort-listeners.js'
import type { Ending, Membership } from './call-group.js'
import type { WaitingEnds } from './observed-call.js'
import type { RunningCalls } from './running-calls.js'
import { type ToolTable, toolTable, wrappedTable } from './tool-table.js'

/** What calls need of their runtime. */
export interface CallContext extends ServiceContext {
  readonly listeners: AbortListeners
  readonly calls: RunningCalls
  readonly sinks: readonly EventSink[]
  readonly tracer: Tracer | undefined
  readonly claims: ResumeClaims
  /** Absent where suspensions are not signed. */
  readonly suspensions: SuspensionSigner | undefined
}

/** Where calls are counted: all that a runtime runs, or those of a step. */
export interface CountedCalls {
  enter(running: Ending): Membership
  leave(membership: Membership): void
}

/** What a run adds to its calls. */
export interface RunFrame {
  readonly events: EventScope
  /** The calls of the same step. */
  readonly calls: CountedCalls
  /** The ends of the suspended calls of the same step. */
  readonly waiting: WaitingEnds
  /** Told of each call that begins and ends; absent for one that outlives its run. */
  readonly open: { begin(): void; end(): void } | undefined
  /** In milliseconds; absent: no limit of the run's own. */
  readonly toolTimeoutMs: number | undefined
  /** What runs beneath the call take over. */
  readonly above: RunAbove
  /** What the call goes on with that waited for somebody. */
  readonly resumption: CallResumption | undefined
}

/** Where calls are executed: the tools with the layers of their own scope and of the agent's around them. */
export class CallTarget {
  readonly table: ToolTable
  readonly context: CallContext
  /** Absent for a toolset without an agent. */
  readonly agent: AgentDescriptor | undefined
  readonly scope: LayerScope
  readonly #base: ToolTable
  readonly #bySelection = new WeakMap<readonly AgentToolSpec[], CallTarget>()
  // `any`: who gives a configuration gives the env that it needs, by type.
  readonly #byConfig = new WeakMap<RunConfig<any>, CallTarget>()

  constructor(
    base: ToolTable,
    context: CallContext,
    agent: AgentDescriptor | undefined,
    scope: LayerScope = new LayerScope(),
  ) {
    this.table = wrappedTable(base, scope)
    this.context = context
    this.agent = agent
    this.scope = scope
    this.#base = base
  }

  /** The same tools with other layers of the agent's scope. */
  withScope(scope: LayerScope): CallTarget {
    return new CallTarget(this.#base, this.context, this.agent, scope)
  }

  /** These tools alone, of those that there are; made once for each selection. */
  offering(tools: readonly AgentToolSpec[]): CallTarget {
    if (tools === this.table.specs) return this
    const known = this.#bySelection.get(tools)
    if (known !== undefined) return known
    const offered = new Set(tools)
    const target = this.#over(toolTable(this.table.served.filter(({ tool }) => offered.has(tool.spec))))
    this.#bySelection.set(tools, target)
    return target
  }

  /** The same tools with the layers of the run scope around them; made once for each configuration. */
  under(config: RunConfig<any>): CallTarget {
    const known = this.#byConfig.get(config)
    if (known !== undefined) return known
    const target = new CallTarget(this.table, this.context, this.agent, config.parts.scope)
    this.#byConfig.set(config, target)
    return target
  }

  /** Tools whose layers are around them already. */
  #over(table: ToolTable): CallTarget {
    return new CallTarget(table, this.context, this.agent)
  }
}
