import type { ToolCallRef } from '../../contract/call.js'
import type { Decoded } from '../../contract/codec.js'
import type { ProvenanceDetail } from '../../contract/executor.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { PendingAnswer } from '../../contract/resume.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import type { CallSuspension, RunSuspension } from '../../contract/suspension.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { classify } from '../failure/classify.js'
import type { KnownFailure } from '../failure/known-failure.js'
import { failedOutcome } from '../hint/failed-outcome.js'
import type { CallNest } from '../nest/call-nest.js'
import type { RunAbove } from '../nest/run-above.js'
import { type CallCost, callProvenance, provenanceDetail } from '../result/provenance-detail.js'
import { isProvenanced } from '../result/provenanced.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { limitOf } from '../tool/call-signal.js'
import type { Abortable, RunningCall } from '../tool/running-call.js'
import { answeredOutcome } from './answered-outcome.js'
import { completedOutcome } from './completed-outcome.js'
import { DecodeCell } from './decode-cell.js'
import { emitUpdate } from './emit-update.js'
import { passingExample } from './passing-example.js'
import { invalidArguments } from './payload.js'
import type { ServiceContext } from './service-context.js'

/** What makes a request unlike others of its tool. */
export interface RequestParts {
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  readonly env: unknown
  readonly arguments: JsonText
  readonly startedAt: number
  /** Whether this is what the call began with; absent for what a layer made of it. */
  readonly isFirst?: true
}

/** What all copies of a request share, whatever their arguments. */
interface CallFrame {
  readonly tool: BoundTool
  readonly running: RunningCall
  readonly context: ServiceContext
  /** What a run beneath the call takes over. */
  readonly above: RunAbove | (() => RunAbove)
}

/** A request of a bound tool. `any` in the env of copies: it is what the caller of the first one gave. */
export class CallRequest implements ToolRequest<any> {
  readonly #frame: CallFrame
  readonly #parts: RequestParts
  readonly #cell: DecodeCell

  constructor(frame: CallFrame, parts: RequestParts, cell: DecodeCell = new DecodeCell(frame.tool, parts)) {
    this.#frame = frame
    this.#parts = parts
    this.#cell = cell
  }

  get tool(): AgentToolSpec {
    return this.#frame.tool.spec
  }

  get call(): ToolCallRef {
    return this.#parts.call
  }

  get env(): any {
    return this.#parts.env
  }

  get arguments(): JsonText {
    return this.#parts.arguments
  }

  get startedAt(): number {
    return this.#parts.startedAt
  }

  get meta(): ToolCallMeta {
    return this.#parts.meta
  }

  get attempt(): number {
    return this.#parts.isFirst === true ? 1 : this.#parts.meta.attempt
  }

  /** What may end an attempt early: the call itself, or the signal that a layer gave to its copy of the meta. */
  get limit(): Abortable {
    return this.#parts.isFirst === true ? this.running : limitOf(this.#parts.meta, this.running)
  }

  /** How far the call came. */
  get running(): RunningCall {
    return this.#frame.running
  }

  get emitted(): boolean {
    return this.#frame.running.updates > 0
  }

  get answer(): PendingAnswer | undefined {
    const { resumption } = this.#frame.running
    if (resumption === undefined) return undefined
    // A call whose run beneath it had begun was let through then.
    if (resumption.kind === 'nested') return 'approve'
    const { answer, arguments: approved } = resumption
    // Nobody has approved of other arguments.
    return answer === 'approve' && approved !== this.arguments ? undefined : answer
  }

  json(): Promise<JsonText> {
    return this.#cell.json()
  }

  decode(): Promise<Decoded<unknown>> {
    return this.#cell.read()
  }

  /** The decoded arguments that the tool runs with; not for layers. */
  decoded(): Promise<Decoded<unknown>> {
    return this.#cell.decode()
  }

  /** The decoded arguments at once; `undefined` where an adapter has to be waited for. */
  decodedNow(): Decoded<unknown> | undefined {
    return this.#cell.now()
  }

  emit(update: unknown): Promise<void> {
    const told = emitUpdate(this.#frame.tool, this.#frame.running, this.limit, update)
    // A tool that does not wait must not bring the process down; the fault fails the call.
    told.catch(() => undefined)
    return told
  }

  again(): CallRequest {
    return this.withMeta({ ...this.meta, attempt: this.running.begun + 1 })
  }

  withMeta(meta: ToolCallMeta): CallRequest {
    const { call, env, arguments: sent, startedAt } = this
    return new CallRequest(this.#frame, { call, meta, env, arguments: sent, startedAt }, this.#cell)
  }

  withArguments(json: JsonText): CallRequest {
    const { call, meta, env, startedAt } = this
    return new CallRequest(this.#frame, { call, meta, env, arguments: json, startedAt })
  }

  async complete(value: unknown): Promise<ToolOutcome> {
    try {
      return await completedOutcome(this.#frame.tool, this, value)
    } catch (error) {
      return this.fail(error)
    }
  }

  async fail(thrown: unknown): Promise<ToolOutcome> {
    const { context } = this.#frame
    const isDescribed = isProvenanced(thrown)
    if (isDescribed) this.describe(thrown.detail)
    const error = isDescribed ? thrown.value : thrown
    return this.failAs(classify(error, context.effects.now(), context.classify), error)
  }

  async failInvalid(issues: readonly Issue[]): Promise<ToolOutcome> {
    return this.fail(await invalidArguments(this.#frame.tool, this, issues))
  }

  /** A failed outcome of a failure that is classified already. */
  async failAs(failure: KnownFailure, cause?: unknown): Promise<ToolOutcome> {
    const { tool } = this.#frame
    return failedOutcome(failure, {
      call: this.call,
      tool,
      rejected: this.arguments,
      example: await passingExample(tool, failure, this),
      ...this.cost(),
      cause,
    })
  }

  async suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome> {
    const { answer } = this
    if (answer !== undefined && answer !== 'approve') return answeredOutcome(this.#frame.tool, this, answer)
    return this.suspended({ kind, ...(prompt !== undefined && { prompt }) })
  }

  /** The outcome of a call whose run beneath it waits. */
  suspendedBy(nested: RunSuspension): ToolOutcome {
    const { kind } = nested
    return this.suspended({ kind, ...(kind === 'clarification' && { prompt: nested.question }), nested })
  }

  suspended(waits: Pick<CallSuspension, 'kind' | 'prompt' | 'nested'>): ToolOutcome {
    const { call } = this
    const suspension: CallSuspension = { version: 1, call, arguments: this.arguments, ...waits }
    const provenance = callProvenance(call.tool, this.#frame.tool.executor, this.cost())
    return { call, provenance, status: 'suspended', suspension }
  }

  /** How a run beneath the call is run. */
  nest(): CallNest {
    const { tool, running, above } = this.#frame
    const { call, env, arguments: sent } = this
    return {
      call,
      arguments: sent,
      env,
      above: typeof above === 'function' ? above() : above,
      // What waited goes on once; another attempt begins a run of its own, as any attempt does.
      resumption: running.tried > 1 ? undefined : running.resumption,
      describe: (detail) => {
        running.detail = detail
      },
      decodeResult: (value) => tool.result.decodeValue(value),
    }
  }

  /** Keeps what the executor said about the call: it holds however the call ends. */
  describe(detail: ProvenanceDetail): void {
    const { running } = this.#frame
    const known = running.detail?.()
    const given = provenanceDetail(detail)
    const extra = known?.extra === undefined ? given.extra : { ...known.extra, ...given.extra }
    const described = { ...known, ...given, ...(extra !== undefined && { extra }) }
    running.detail = () => described
  }

  /** The cost of the call so far. */
  cost(): CallCost {
    const { context, running } = this.#frame
    const durationMs = Math.max(0, context.effects.now() - this.startedAt)
    return { durationMs, attempts: running.tried, detail: running.described }
  }
}
