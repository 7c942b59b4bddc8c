import type { ToolCallRef } from '../types/call.js'
import type { Effects } from '../types/call-options.js'
import type { Decoded } from '../types/codec.js'
import type { ProvenanceDetail } from '../types/executor.js'
import type { Issue } from '../types/issue.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { CallSuspension, PendingAnswer, RunSuspension, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tool.js'
import { limitOf } from './call-meta.js'
import { type Classify, classify } from './classify.js'
import { failedOutcome } from './hints.js'
import type { Failure } from './known-failure.js'
import type { NestedResumption, NestedRunContext, ParentRun } from './nesting.js'
import { DecodeCell, invalidArguments, passingExample } from './payload.js'
import { type CallCost, callProvenance, isProvenanced, provenanceDetail } from './provenance.js'
import { completedOutcome } from './results.js'
import type { Abortable, RunningCall } from './running-call.js'
import { lateUpdate } from './streams.js'
import { FIXED_MESSAGES, ToolFailure } from './tool-failure.js'

/** What makes a request unlike others of its tool. */
export interface RequestParts {
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  readonly env: unknown
  readonly arguments: JsonText
  readonly startedAt: number
  /** Whether this is what the call began with; absent for what a layer made of it. */
  readonly isFirst?: true
  /** Approvals that layers obtained on the way to this request, the innermost layer's first. */
  readonly approval?: ApprovedArguments | undefined
}

/** The arguments that an approval layer let through. */
interface ApprovedArguments {
  readonly cell: DecodeCell
  /** Decides about other arguments, which a layer below the approval put in their place. */
  readonly recheck: ApprovalCheck
  readonly outer: ApprovedArguments | undefined
}

/** Returns the outcome of a call that must not run, `undefined` for one that may. */
type ApprovalCheck = (request: CallRequest) => Promise<ToolOutcome | undefined>

/** What all copies of a request share, whatever their arguments. */
interface CallFrame {
  readonly tool: BoundTool
  readonly running: RunningCall
  readonly context: ServiceContext
  /** What a run beneath the call takes over. */
  readonly above: ParentRun | (() => ParentRun)
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
    // A call whose nested run had started was approved before that run started.
    if (resumption.kind === 'nested') return this.#continues(resumption, 0) ? 'approve' : undefined
    const { answer, arguments: approved } = resumption
    // Nobody has approved of other arguments.
    return answer === 'approve' && approved !== this.arguments ? undefined : answer
  }

  /** Whether this request continues a nested run: with the arguments that started it, and not after another attempt. */
  #continues({ arguments: started }: NestedResumption, attempts: number): boolean {
    return started === this.arguments && this.running.tried <= attempts
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
    return this.#copy({ meta }, this.#cell)
  }

  withArguments(json: JsonText): CallRequest {
    return this.#copy({ arguments: json })
  }

  /** A copy for `next` of an approval layer: where a layer below changes the arguments, `recheck` decides about those. */
  approved(recheck: ApprovalCheck): CallRequest {
    return this.#copy({ approval: { cell: this.#cell, recheck, outer: this.#parts.approval } }, this.#cell)
  }

  /**
   * Whether the arguments that reach the tool were approved. Returns the outcome of a call that must not run with them,
   * `undefined` for one that may; no promise where no layer and no adapter can have changed them.
   */
  unapproved(): Promise<ToolOutcome | undefined> | undefined {
    const { approval } = this.#parts
    if (approval !== undefined) return this.#changedSince(approval)
    const { resumption } = this.running
    if (resumption?.kind !== 'answer' || resumption.answer !== 'approve') return undefined
    if (this.answer !== 'approve') return this.suspend('approval')
    if (this.#frame.tool.payloadAdapter === undefined) return undefined
    return this.isAsApproved().then((is) => (is ? undefined : this.suspend('approval')))
  }

  /** Whether the payload adapter makes the same arguments of a resumed call as it did when the call was suspended. */
  async isAsApproved(): Promise<boolean> {
    const { tool, running } = this.#frame
    const { resumption } = running
    if (tool.payloadAdapter === undefined || resumption?.kind !== 'answer' || this.answer !== 'approve') return true
    return (await this.json()) === (resumption.adapted ?? resumption.arguments)
  }

  #changedSince(approval: ApprovedArguments): Promise<ToolOutcome | undefined> | undefined {
    for (let each: ApprovedArguments | undefined = approval; each !== undefined; each = each.outer) {
      if (each.cell !== this.#cell) return this.#recheck(each)
    }
    return undefined
  }

  /** Asks each layer, from the given one outwards, whose approval was about other arguments. */
  async #recheck(innermost: ApprovedArguments): Promise<ToolOutcome | undefined> {
    for (let each: ApprovedArguments | undefined = innermost; each !== undefined; each = each.outer) {
      const outcome = each.cell === this.#cell ? undefined : await each.recheck(this)
      if (outcome !== undefined) return outcome
    }
    return undefined
  }

  #copy(changes: Partial<RequestParts>, cell?: DecodeCell): CallRequest {
    const { call, meta, env, arguments: sent, startedAt } = this
    const { approval } = this.#parts
    return new CallRequest(this.#frame, { call, meta, env, arguments: sent, startedAt, approval, ...changes }, cell)
  }

  async complete(value: unknown): Promise<ToolOutcome> {
    try {
      return this.#reached(await completedOutcome(this.#frame.tool, this, value))
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
  async failAs(failure: Failure, cause?: unknown): Promise<ToolOutcome> {
    const { tool } = this.#frame
    const failed = failedOutcome(failure, {
      call: this.call,
      tool,
      rejected: this.arguments,
      example: await passingExample(tool, failure, this),
      ...this.cost(),
      cause,
    })
    return this.#reached(failed)
  }

  async suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome> {
    const { answer } = this
    if (answer !== undefined && answer !== 'approve') return answeredOutcome(this.#frame.tool, this, answer)
    const adapted = kind === 'approval' ? await this.#adapted() : undefined
    return this.suspended({ kind, ...(prompt !== undefined && { prompt }), ...(adapted !== undefined && { adapted }) })
  }

  /** The outcome of a call whose run beneath it waits. */
  suspendedBy(nested: RunSuspension): ToolOutcome {
    const { kind } = nested
    return this.suspended({ kind, ...(kind === 'clarification' && { prompt: nested.question }), nested })
  }

  /** The arguments after the payload adapter; `undefined` where it changes nothing, or fails. */
  async #adapted(): Promise<JsonText | undefined> {
    if (this.#frame.tool.payloadAdapter === undefined) return undefined
    // A call whose adapter fails never reaches its tool.
    const adapted = await this.json().catch(() => undefined)
    return adapted === this.arguments ? undefined : adapted
  }

  suspended(waits: Pick<CallSuspension, 'kind' | 'prompt' | 'adapted' | 'nested'>): ToolOutcome {
    const { call } = this
    const suspension: CallSuspension = { version: 1, call, arguments: this.arguments, ...waits }
    const provenance = callProvenance(call.tool, this.#frame.tool.executor, this.cost())
    return this.#reached({ call, provenance, status: 'suspended', suspension })
  }

  #reached(outcome: ToolOutcome): ToolOutcome {
    this.running.last = outcome
    return outcome
  }

  /** How a run beneath the call is run. */
  nest(): NestedRunContext {
    const { tool, running, above } = this.#frame
    const { call, env, arguments: sent } = this
    const { resumption } = running
    return {
      call,
      arguments: sent,
      env,
      above: typeof above === 'function' ? above() : above,
      // What waited continues once; another attempt starts a run of its own, as any attempt does.
      resumption: resumption?.kind === 'nested' && this.#continues(resumption, 1) ? resumption : undefined,
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

/** The outcome of a call whose tool is not run, since somebody answered in its place. Never rejects. */
export async function answeredOutcome(
  tool: BoundTool,
  request: ToolRequest,
  answer: Exclude<PendingAnswer, 'approve'>,
): Promise<ToolOutcome> {
  if (answer === 'deny') return deniedOutcome(request)
  if ('decision' in answer) return deniedOutcome(request, answer.reason)
  if ('failure' in answer) {
    const { message, reason = 'domain_rejection' } = answer.failure
    return request.fail(new ToolFailure(message, { reason }))
  }
  // A text answers a question of an agent; a call that asks none cannot go on with it.
  const decoded = tool.result.decodeValue('result' in answer ? answer.result : answer.text)
  if (decoded.ok) return request.complete(decoded.value)
  const { issues } = decoded
  return request.fail(new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues }))
}

/**
 * Passes an update of a streaming tool on to whoever listens. A fault of the update fails the call too, whatever the
 * executor makes of the rejection.
 *
 * @throws {ToolFailure} when the call has ended or was aborted; when the tool does not stream, or the update breaks its
 * schema.
 */
async function emitUpdate(tool: BoundTool, running: RunningCall, limit: Abortable, update: unknown): Promise<void> {
  try {
    await told(tool, running, limit, update)
  } finally {
    // A tool that waits for nothing but this would keep the event loop, and with it the end of its own call.
    await running.slice.turn()
  }
}

/** Tells of the update at once, so that updates come in the order in which they are emitted. */
function told(tool: BoundTool, running: RunningCall, limit: Abortable, update: unknown): Promise<void> | undefined {
  if (running.ended || limit.aborted !== undefined) throw lateUpdate()
  if (tool.updates === undefined) {
    const message = `The tool '${tool.id}' is not declared as streaming, and it emitted an update.`
    throw faultOf(running, new ToolFailure(message, { reason: 'internal' }))
  }
  const encoded = tool.updates.encodeValue(update)
  if (!encoded.ok) {
    const { issues } = encoded
    throw faultOf(running, new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues }))
  }
  running.updates += 1
  return running.listener?.update(running.updates, encoded.json)
}

function faultOf(running: RunningCall, fault: ToolFailure): ToolFailure {
  running.fault ??= fault
  return fault
}

const DENIED = 'This tool needs the approval of a person, and it was not given.'

/**
 * The outcome of a call that a person denied: the denied result of the design, else a `denied` hint.
 *
 * @param reason shown to the model where the design has no denied result
 */
export function deniedOutcome(request: ToolRequest, reason: string = DENIED): Promise<ToolOutcome> {
  const result = request.tool.confirmation?.deniedResult
  return result === undefined ? request.fail(new ToolFailure(reason, { reason: 'denied' })) : request.complete(result)
}

/** What a tool's service needs of its runtime. */
export interface ServiceContext {
  readonly effects: Effects
  readonly classify: Classify | undefined
}
