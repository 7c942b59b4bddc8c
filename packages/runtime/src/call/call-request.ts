import { cloneJson, freezeJson } from '../schema/json-values.js'
import type { Decoded, Issue } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { CallSuspension, PendingAnswer, RunSuspension, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { classify } from './classify.js'
import { passingExample } from './correct-example.js'
import type { Failure } from './failure.js'
import { invalidArguments } from './invalid-arguments.js'
import type { NestedResumption, NestedRunContext } from './nested-run.js'
import { completedOutcome, deniedOutcome } from './outcomes.js'
import { adapt } from './payload.js'
import { callProvenance, isProvenanced } from './provenance.js'
import { type Abortable, AbortableSignal } from './timers.js'
import type { ToolCallExecution } from './tool-call.js'
import { FIXED_MESSAGES, ToolFailure } from './tool-failure.js'

interface Approval {
  readonly payload: Payload
  /** Decides about other arguments, which a layer below the approval put in their place. */
  readonly recheck: ApprovalCheck
  /** The approval of the next layer outwards. */
  readonly outer: Approval | undefined
}

/** Returns the outcome of a call that must not run, `undefined` for one that may. */
type ApprovalCheck = (request: CallRequest) => Promise<ToolOutcome | undefined>

/** Differences of a request from the first one of its call. */
interface RequestChanges {
  readonly meta?: ToolCallMeta | undefined
  readonly arguments?: JsonText
  readonly payload?: Payload
  readonly approval?: Approval | undefined
}

/** The request of a call as layers see it. Copies share the call. `any`: the env is that of the caller. */
export class CallRequest implements ToolRequest<any> {
  readonly execution: ToolCallExecution
  readonly arguments: JsonText
  readonly #tool: BoundTool
  /** Absent: that of the first attempt. */
  readonly #meta: ToolCallMeta | undefined
  readonly #payload: Payload
  readonly #approval: Approval | undefined

  constructor(execution: ToolCallExecution, tool: BoundTool, changes: RequestChanges = {}) {
    this.execution = execution
    this.#tool = tool
    this.arguments = changes.arguments ?? execution.arguments
    this.#meta = changes.meta
    this.#payload = changes.payload ?? new Payload(tool, this)
    this.#approval = changes.approval
  }

  get tool(): AgentToolSpec {
    return this.#tool.spec
  }

  get call(): ToolCallRef {
    return this.execution.ref
  }

  get env(): any {
    return this.execution.options.env
  }

  get startedAt(): number {
    return this.execution.startedAt
  }

  get meta(): ToolCallMeta {
    return this.#meta ?? this.execution.meta
  }

  get attempt(): number {
    return this.#meta?.attempt ?? 1
  }

  get emitted(): boolean {
    return this.execution.updates > 0
  }

  /** Aborts the attempt: the call itself, or the signal that a layer put into its copy of the meta. */
  get limit(): Abortable {
    const own = this.#meta && Object.getOwnPropertyDescriptor(this.#meta, 'signal')
    return own?.value instanceof AbortSignal ? new AbortableSignal(own.value) : this.execution
  }

  get answer(): PendingAnswer | undefined {
    const resumption = this.execution.run?.resumption
    if (resumption === undefined) return undefined
    // A call whose nested run had started was approved before that run started.
    if (resumption.kind === 'nested') return this.#continues(resumption, 0) ? 'approve' : undefined
    const { answer, arguments: approved } = resumption
    // Nobody has approved of other arguments.
    return answer === 'approve' && approved !== this.arguments ? undefined : answer
  }

  /** True if this request continues a nested run: with the arguments that started it, and not after another attempt. */
  #continues({ arguments: started }: NestedResumption, attempts: number): boolean {
    return started === this.arguments && this.execution.executions <= attempts
  }

  json(): Promise<JsonText> {
    return this.#payload.json()
  }

  async decode(): Promise<Decoded<unknown>> {
    // Each reader gets its own frozen copy: nothing freezes dates and bytes. What a codec returns is plain data.
    return freezeJson(cloneJson(await this.decoded())) as Decoded<unknown>
  }

  /** The decoded arguments that the tool runs with; not for layers. A promise only where an adapter has to be awaited. */
  decoded(): Decoded<unknown> | Promise<Decoded<unknown>> {
    return this.#payload.decoded()
  }

  emit(update: unknown): Promise<void> {
    const emitted = this.execution.emit(update, this.limit)
    // A tool that does not wait must not bring the process down; an invalid update fails the call.
    emitted.catch(() => undefined)
    return emitted
  }

  again(): CallRequest {
    return this.withMeta({ ...this.meta, attempt: this.execution.attempt + 1 })
  }

  withMeta(meta: ToolCallMeta): CallRequest {
    if (typeof meta !== 'object' || meta === null) throw new TypeError('request.withMeta expects the meta of a call')
    return this.#copy({ meta })
  }

  withArguments(json: JsonText): CallRequest {
    const { execution } = this
    return new CallRequest(execution, this.#tool, { arguments: json, meta: this.#meta, approval: this.#approval })
  }

  #copy(changes: RequestChanges): CallRequest {
    const same = {
      arguments: this.arguments,
      meta: this.#meta,
      payload: this.#payload,
      approval: this.#approval,
    }
    return new CallRequest(this.execution, this.#tool, { ...same, ...changes })
  }

  /** A copy for `next` of an approval layer: if a layer below changes the arguments, `recheck` decides about those. */
  approved(recheck: ApprovalCheck): CallRequest {
    return this.#copy({ approval: { payload: this.#payload, recheck, outer: this.#approval } })
  }

  /** Returns the outcome of a call that must not run with these arguments because nobody approved them. */
  async unapproved(): Promise<ToolOutcome | undefined> {
    for (let approval = this.#approval; approval !== undefined; approval = approval.outer) {
      const outcome = approval.payload === this.#payload ? undefined : await approval.recheck(this)
      if (outcome !== undefined) return outcome
    }
    const resumption = this.execution.run?.resumption
    if (this.#approval !== undefined || resumption?.kind !== 'answer' || resumption.answer !== 'approve')
      return undefined
    return (await this.isAsApproved()) ? undefined : this.suspend('approval')
  }

  /** True unless a resumed call was approved with other arguments, before or after the payload adapter. */
  async isAsApproved(): Promise<boolean> {
    const resumption = this.execution.run?.resumption
    if (resumption?.kind !== 'answer' || resumption.answer !== 'approve') return true
    if (resumption.arguments !== this.arguments || this.#tool.payloadAdapter === undefined)
      return resumption.arguments === this.arguments
    return (await this.json()) === (resumption.adapted ?? resumption.arguments)
  }

  async complete(value: unknown): Promise<ToolOutcome> {
    try {
      return this.reached(await completedOutcome(this.#tool, this, value))
    } catch (error) {
      return this.fail(error)
    }
  }

  async fail(thrown: unknown): Promise<ToolOutcome> {
    const { context } = this.execution
    const isDescribed = isProvenanced(thrown)
    if (isDescribed) this.execution.describe(thrown.detail)
    const error = isDescribed ? thrown.value : thrown
    return this.failAs(classify(error, context.effects.now(), context), error)
  }

  async failInvalid(issues: readonly Issue[]): Promise<ToolOutcome> {
    return this.fail(await invalidArguments(this.#tool, this, issues))
  }

  /** A failed outcome of a failure that is classified already. */
  async failAs(failure: Failure, cause: unknown): Promise<ToolOutcome> {
    const example = await passingExample(this.#tool, failure, this)
    return this.reached(this.execution.failed(failure, { rejected: this.arguments, example, cause }))
  }

  async suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome> {
    const { answer } = this
    if (answer !== undefined && answer !== 'approve') return this.answered(answer)
    // A call whose adapter fails never reaches its tool.
    const adapted = kind === 'approval' ? await this.json().catch(() => this.arguments) : this.arguments
    return this.#suspended({
      kind,
      ...(prompt !== undefined && { prompt }),
      ...(adapted !== this.arguments && { adapted }),
    })
  }

  /** The outcome of a call whose nested run is suspended. */
  suspendedBy(nested: RunSuspension): ToolOutcome {
    const { kind } = nested
    return this.#suspended({ kind, ...(kind === 'clarification' && { prompt: nested.question }), nested })
  }

  #suspended(facts: Pick<CallSuspension, 'kind' | 'prompt' | 'adapted' | 'nested'>): ToolOutcome {
    const { call } = this
    const suspension: CallSuspension = { version: 1, call, arguments: this.arguments, ...facts }
    const provenance = callProvenance(call.tool, this.#tool.executor, this.execution.cost())
    return this.reached({ call, provenance, status: 'suspended', suspension })
  }

  /** The outcome of a call whose tool does not run, since somebody answered in its place. Never rejects. */
  async answered(answer: Exclude<PendingAnswer, 'approve'>): Promise<ToolOutcome> {
    if (answer === 'deny') return deniedOutcome(this)
    if ('decision' in answer) return deniedOutcome(this, answer.reason)
    if ('failure' in answer) {
      const { message, reason = 'domain_rejection' } = answer.failure
      return this.fail(new ToolFailure(message, { reason }))
    }
    // A text answers a question of an agent; a call that asks none cannot go on with it.
    const decoded = this.#tool.result.decodeValue('result' in answer ? answer.result : answer.text)
    if (decoded.ok) return this.complete(decoded.value)
    const { issues } = decoded
    return this.fail(new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues }))
  }

  /** Keeps an outcome that the tool or a layer reached. */
  reached(outcome: ToolOutcome): ToolOutcome {
    this.execution.lastOutcome = outcome
    return outcome
  }

  /** Context of a run that serves the call. */
  nestedRun(): NestedRunContext {
    const { execution, call, env } = this
    const resumption = execution.run?.resumption
    return {
      call,
      arguments: this.arguments,
      env,
      parent: execution.parent,
      // A suspended run continues once. Every later attempt starts a new run.
      resumption: resumption?.kind === 'nested' && this.#continues(resumption, 1) ? resumption : undefined,
      describe: (detail) => {
        execution.detail = detail
      },
      decodeResult: (value) => this.#tool.result.decodeValue(value),
    }
  }
}

/** The arguments of requests, adapted and decoded once however many ask. */
class Payload {
  readonly #tool: BoundTool
  readonly #request: Pick<ToolRequest, 'arguments' | 'meta'>
  #json: Promise<JsonText> | undefined = undefined
  #decoded: Decoded<unknown> | Promise<Decoded<unknown>> | undefined = undefined

  constructor(tool: BoundTool, request: Pick<ToolRequest, 'arguments' | 'meta'>) {
    this.#tool = tool
    this.#request = request
  }

  json(): Promise<JsonText> {
    this.#json ??= settled(adapt(this.#tool.payloadAdapter, this.#tool, this.#request.arguments, this.#request))
    return this.#json
  }

  decoded(): Decoded<unknown> | Promise<Decoded<unknown>> {
    const { payload, payloadAdapter } = this.#tool
    this.#decoded ??=
      payloadAdapter === undefined
        ? payload.decode(this.#request.arguments)
        : settled(this.json().then((json) => payload.decode(json)))
    return this.#decoded
  }
}

/** Those who wait receive an error; one who no longer waits must not bring the process down. */
function settled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined)
  return promise
}
