import { cloneJson, freezeJson } from '../schema/json-values.js'
import type { Approval, ApprovalRecord } from '../types/approval.js'
import type { Decoded, Issue } from '../types/codec.js'
import type { McpElicitation } from '../types/elicitation.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { ApprovedArguments, CallSuspension, PendingAnswer, RunSuspension, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef } from '../types/tool.js'
import { readApproval, recordApproval, rememberedApproval } from './approvals.js'
import type { BoundTool } from './bound-tools.js'
import { classify } from './classify.js'
import { passingExample } from './correct-example.js'
import type { Failure } from './failure.js'
import { invalidArguments } from './invalid-arguments.js'
import type { CallResumption, NestedRunContext } from './nested-run.js'
import { completedOutcome, deniedOutcome } from './outcomes.js'
import { adapt } from './payload.js'
import { callProvenance, isProvenanced } from './provenance.js'
import type { Redaction } from './redaction.js'
import type { SensitivePlan } from './sensitive-plan.js'
import { type Abortable, AbortableSignal, sleep } from './timers.js'
import type { ToolCallExecution } from './tool-call.js'
import { malformedResult, peek, ToolFailure } from './tool-failure.js'

interface ApprovalGate {
  readonly payload: Payload
  readonly recheck: ApprovalCheck
  readonly outer: ApprovalGate | undefined
  /** The check of a guardrail does not replace the approval of a person. */
  readonly isGuardrail?: boolean
}

export type ApprovalVerdict = ToolOutcome | { readonly approval: ApprovalRecord | undefined }

type ApprovalCheck = (request: CallRequest) => Promise<ApprovalVerdict>

interface RequestChanges {
  readonly meta?: ToolCallMeta | undefined
  readonly arguments?: JsonText
  readonly payload?: Payload
  readonly unedited?: JsonText
  readonly approval?: ApprovalRecord | undefined
  readonly gate?: ApprovalGate | undefined
}

const NO_CHANGES: RequestChanges = Object.freeze({})

/** All copies of a request share one `execution`. The type argument is `any`, because the compiler has already checked the `env` of the caller. */
export class CallRequest implements ToolRequest<any> {
  readonly execution: ToolCallExecution
  readonly arguments: JsonText
  readonly approval: ApprovalRecord | undefined
  readonly #tool: BoundTool
  readonly #meta: ToolCallMeta | undefined
  readonly #payload: Payload
  readonly #unedited: JsonText | undefined
  readonly #gate: ApprovalGate | undefined

  constructor(execution: ToolCallExecution, tool: BoundTool, changes: RequestChanges = NO_CHANGES) {
    this.execution = execution
    this.#tool = tool
    this.arguments = changes.arguments ?? execution.arguments
    this.#meta = changes.meta
    this.#payload = changes.payload ?? new Payload(tool, this, execution.redaction)
    this.#unedited = changes.unedited
    this.approval = changes.approval
    this.#gate = changes.gate
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

  get limit(): Abortable {
    const own = this.#meta && Object.getOwnPropertyDescriptor(this.#meta, 'signal')
    return own?.value instanceof AbortSignal ? new AbortableSignal(own.value) : this.execution
  }

  get answer(): ToolRequest['answer'] {
    const resumption = this.execution.resumption
    if (resumption === undefined) return undefined
    // The call was approved before its nested run started, or before its MCP server asked.
    const answer = resumption.kind === 'answer' ? resumption.answer : 'approve'
    if (answer !== 'approve' && !isApproval(answer)) return answer
    // A retry starts another nested run, which needs another approval.
    if (resumption.kind === 'nested' && this.execution.executions > 0) return undefined
    // The approval does not apply to other arguments.
    const isApproved = this.#approvedBefore() !== undefined || resumption.arguments === this.#sent
    return isApproved ? 'approve' : undefined
  }

  get #sent(): JsonText {
    return this.#unedited ?? this.arguments
  }

  json(): Promise<JsonText> {
    return this.#payload.json()
  }

  async decode(): Promise<Decoded<unknown>> {
    // Each reader gets its own frozen copy, because dates and bytes cannot be frozen. Codecs return plain data.
    return freezeJson(cloneJson(await this.decoded())) as Decoded<unknown>
  }

  decoded(): Decoded<unknown> | Promise<Decoded<unknown>> {
    return this.#payload.decoded()
  }

  emit(update: unknown): Promise<void> {
    const emitted = this.execution.emit(update, this.limit)
    // Prevents an unhandled rejection if the tool does not await this promise. An invalid update also fails the call.
    emitted.catch(() => undefined)
    return emitted
  }

  sleep(milliseconds: number): Promise<boolean> {
    const { context, running } = this.execution
    // A recorded wait must mean that the tool is not running.
    const journal = running === 0 ? context.journal : undefined
    const { signal } = this.meta
    return journal === undefined ? sleep(milliseconds, signal) : journal.sleep(this.call, milliseconds, signal)
  }

  again(): CallRequest {
    return this.withMeta({ ...this.meta, attempt: this.execution.attempt + 1 })
  }

  withMeta(meta: ToolCallMeta): CallRequest {
    if (typeof meta !== 'object' || meta === null)
      throw new TypeError('`request.withMeta` expects the metadata of a call. Pass a changed copy of `request.meta`.')
    return this.#copy({ meta })
  }

  withArguments(json: JsonText): CallRequest {
    return new CallRequest(this.execution, this.#tool, { arguments: json, meta: this.#meta, gate: this.#gate })
  }

  #copy(changes: RequestChanges): CallRequest {
    const same: RequestChanges = {
      arguments: this.arguments,
      meta: this.#meta,
      payload: this.#payload,
      ...(this.#unedited !== undefined && { unedited: this.#unedited }),
      approval: this.approval,
      gate: this.#gate,
    }
    return new CallRequest(this.execution, this.#tool, { ...same, ...changes })
  }

  /** If an inner layer changes the arguments, `check` must accept the changed arguments before the tool runs. */
  guarded(check: (request: CallRequest) => Promise<ToolOutcome | undefined>): CallRequest {
    const recheck: ApprovalCheck = async (request) => (await check(request)) ?? { approval: undefined }
    return this.#copy({ gate: { payload: this.#payload, recheck, outer: this.#gate, isGuardrail: true } })
  }

  /**
   * Outer approval layers also accept arguments that the approver changed, because all approval layers of a call ask the same approver.
   *
   * @param recheck asks for approval again if an inner layer changes the arguments
   */
  approvedAs(approval: ApprovalRecord | undefined, recheck?: ApprovalCheck): CallRequest {
    const edited = approval?.edited
    if (edited === undefined) {
      const before = this.approval?.edited
      const both = approval && before !== undefined ? { ...approval, edited: before } : (approval ?? this.approval)
      const gate = recheck && { payload: this.#payload, recheck, outer: this.#gate }
      return this.#copy({ approval: both, gate: gate ?? this.#gate })
    }
    const { redaction, tool } = this.execution
    redaction?.learnArguments(edited, tool?.sensitive)
    // The approver changed the arguments after the payload adapter, which must not change them again.
    const payload = new Payload(this.#tool, { arguments: edited, meta: this.meta }, redaction, true)
    const outer = gateFor(payload, this.#gate)
    const gate = recheck === undefined ? outer : { payload, recheck, outer }
    return this.#copy({ arguments: edited, payload, unedited: this.#sent, approval, gate })
  }

  admission(): Promise<ToolOutcome | CallRequest> | undefined {
    if (this.#gate !== undefined) return this.#recheck(this.#gate)
    const { resumption } = this.execution
    return resumption === undefined ? undefined : this.#resumed(resumption)
  }

  async #recheck(innermost: ApprovalGate): Promise<ToolOutcome | CallRequest> {
    const gates: ApprovalGate[] = []
    for (let gate: ApprovalGate | undefined = innermost; gate !== undefined; gate = gate.outer) gates.push(gate)
    const guardrails = gates.filter(({ isGuardrail }) => isGuardrail)
    const blocked = await this.#checkedBy(guardrails)
    if (blocked !== undefined) return blocked
    const { resumption } = this.execution
    if (guardrails.length === gates.length) return resumption === undefined ? this : this.#resumed(resumption)
    let admitted: CallRequest = this
    for (const gate of gates) {
      if (gate.isGuardrail || gate.payload === this.#payload) continue
      const verdict = await gate.recheck(this)
      if ('status' in verdict) return verdict
      admitted = admitted.approvedAs(verdict.approval)
      if (verdict.approval?.edited !== undefined) break
    }
    // The approver may have changed the arguments that the guardrails have checked.
    return (admitted.#payload === this.#payload ? undefined : await admitted.#checkedBy(guardrails)) ?? admitted
  }

  async #checkedBy(guardrails: readonly ApprovalGate[]): Promise<ToolOutcome | undefined> {
    for (const { payload, recheck } of guardrails) {
      if (payload === this.#payload) continue
      const verdict = await recheck(this)
      if ('status' in verdict) return verdict
    }
    return undefined
  }

  async #resumed(resumption: CallResumption): Promise<ToolOutcome | CallRequest> {
    if (resumption.kind === 'answer' && !(await this.isAsApproved())) return this.suspend('approval')
    return this.answer === 'approve' ? this.approvedAs(await this.resumedApproval()) : this
  }

  async isAsApproved(): Promise<boolean> {
    const resumption = this.execution.resumption
    if (resumption === undefined || resumption.kind === 'nested') return true
    if (resumption.kind === 'answer' && !isApproval(resumption.answer)) return true
    const approved = this.#approvedBefore() ?? resumption
    const isSame = approved.arguments === this.#sent
    if (!isSame || this.#unedited !== undefined || this.#tool.payloadAdapter === undefined) return isSame
    return (await this.json()) === (approved.adapted ?? approved.arguments)
  }

  /** An approval of an earlier round for these arguments. */
  #approvedBefore(): ApprovedArguments | undefined {
    return this.execution.resumption?.approved?.find(({ arguments: approved }) => approved === this.#sent)
  }

  resumedApproval(): Promise<ApprovalRecord | undefined> {
    const { resumption } = this.execution
    if (resumption === undefined) return Promise.resolve(undefined)
    const before = this.#approvedBefore()
    if (before !== undefined) return Promise.resolve(before.approval)
    if (resumption.kind !== 'answer') return Promise.resolve(resumption.approval)
    this.execution.resumedApproval ??= settled(this.#accepted(resumption.answer))
    return this.execution.resumedApproval
  }

  async #accepted(answer: unknown): Promise<ApprovalRecord | undefined> {
    const approval = readApproval(answer)
    const decoded = await this.decoded()
    return approval && decoded.ok ? this.accept(approval, decoded.value, true) : undefined
  }

  /** Rejects if the approval is invalid. The tool must not run after a rejection. */
  async accept(approval: Approval, decoded: unknown, mayRemember: boolean): Promise<ApprovalRecord> {
    if (!mayRemember && approval.remember !== undefined) {
      throw new TypeError(
        `The approver of '${this.tool.id}' returned \`remember\` for a question of dataFlow(). Such approvals apply to one call. Omit \`remember\`.`,
      )
    }
    return recordApproval(approval, {
      ...this.#decided(decoded),
      tool: this.#tool,
      now: this.execution.context.effects.now(),
    })
  }

  remembered(decoded: unknown): ApprovalRecord | undefined {
    return this.execution.approvals && rememberedApproval(this.#decided(decoded))
  }

  #decided(decoded: unknown): Parameters<typeof rememberedApproval>[0] {
    const { execution, call } = this
    return { call, agent: execution.agent?.name, arguments: decoded, memory: execution.approvals }
  }

  denied(reason?: unknown, by?: unknown): Promise<ToolOutcome> {
    const { execution } = this
    // An earlier attempt may have been approved.
    execution.approval = undefined
    execution.denial = Object.freeze({
      ...(typeof by === 'string' && { by }),
      at: execution.context.effects.now(),
    })
    return deniedOutcome(this, typeof reason === 'string' ? reason : undefined)
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

  /** Does not classify `cause`, because `failure` already has a reason. */
  async failAs(failure: Failure, cause: unknown): Promise<ToolOutcome> {
    const example = await passingExample(this.#tool, failure, this)
    return this.reached(this.execution.failed(failure, { rejected: this.arguments, example, cause }))
  }

  async suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome> {
    const { answer } = this
    if (answer !== undefined && answer !== 'approve') return this.answered(answer)
    // If the adapter fails, the call fails before its tool runs. Its suspension then keeps the original arguments.
    const adapted = kind === 'approval' ? await this.#adapted().catch(() => this.arguments) : this.arguments
    return this.#suspended({
      kind,
      ...(prompt !== undefined && { prompt }),
      ...(adapted !== this.arguments && { adapted }),
    })
  }

  /** The approvals of earlier rounds, and the approval that this round has used for other arguments. */
  async #approvedSoFar(): Promise<readonly ApprovedArguments[]> {
    const { resumption, resumedApproval } = this.execution
    const before = resumption?.approved ?? []
    if (resumption?.kind !== 'answer' || resumption.arguments === this.#sent) return before
    const approval = await resumedApproval?.catch(() => undefined)
    if (approval === undefined) return before
    const { arguments: sent, adapted } = resumption
    return [...before, { arguments: sent, ...(adapted !== undefined && { adapted }), approval }]
  }

  /**
   * The tool must not receive a pseudonym instead of its value.
   *
   * @throws {ToolFailure} if the value of a pseudonym in the arguments is unknown.
   */
  requirePseudonyms(): void {
    const { redaction } = this.execution
    if (redaction === undefined || this.#tool.keepsPseudonyms) return
    const unknown = redaction.unknownPseudonym(this.arguments)
    if (unknown === undefined) return
    const message = `The value of ${JSON.stringify(unknown)} is not available here. Read the value again, and use the new result.`
    throw new ToolFailure(message, { reason: 'domain_rejection', action: 'replan' })
  }

  suspendedBy(nested: RunSuspension): Promise<ToolOutcome> {
    const { kind } = nested
    return this.#suspended({
      kind,
      ...(kind === 'clarification' && { prompt: nested.question }),
      ...this.#started(),
      nested,
    })
  }

  async suspendedWith(elicitation: McpElicitation): Promise<ToolOutcome> {
    const { redaction } = this.execution
    if (elicitation.requestState !== undefined) redaction?.learnOpaque(elicitation.requestState)
    if (redaction?.canHideIn(elicitation) === false) {
      const message =
        'The MCP server asked a question with a sensitive value in the key of the question or in a name of its schema.'
      throw new ToolFailure(message, { reason: 'malformed_result' })
    }
    const adapted = await this.#adapted()
    const [question, ...others] = Object.values(elicitation.questions)
    return this.#suspended({
      kind: 'elicitation',
      ...(question !== undefined && others.length === 0 && { prompt: question.message }),
      ...(adapted !== this.arguments && { adapted }),
      ...this.#started(),
      elicitation,
    })
  }

  async #adapted(): Promise<JsonText> {
    return this.#tool.payloadAdapter === undefined ? this.arguments : this.json()
  }

  /** The suspension contains the approval, so that the resumed call keeps the approval. */
  #started(): Pick<CallSuspension, 'approval'> {
    return this.approval === undefined ? {} : { approval: this.approval }
  }

  async #suspended(facts: Omit<CallSuspension, 'version' | 'call' | 'arguments' | 'approved'>): Promise<ToolOutcome> {
    const { call } = this
    const approved = await this.#approvedSoFar()
    const suspension: CallSuspension = {
      ...{ version: 1, call, arguments: this.#sent, ...facts },
      ...(approved.length > 0 && { approved }),
    }
    const provenance = callProvenance(call.tool, this.#tool.executor, this.execution.cost())
    return this.reached({ call, provenance, status: 'suspended', suspension })
  }

  /** The tool does not run. Never rejects. */
  async answered(answer: Exclude<NonNullable<ToolRequest['answer']>, 'approve'>): Promise<ToolOutcome> {
    if (answer === 'deny') return this.denied()
    if ('decision' in answer) return this.denied(answer.reason, answer.by)
    if ('failure' in answer) {
      const { message, reason = 'domain_rejection' } = answer.failure
      return this.fail(new ToolFailure(message, { reason }))
    }
    // A text answers a question of a nested agent. Otherwise the text must be a valid result of the tool.
    const decoded = this.#tool.result.decodeValue('result' in answer ? answer.result : answer.text)
    if (decoded.ok) return this.complete(decoded.value)
    return this.fail(malformedResult(decoded.issues))
  }

  reached(outcome: ToolOutcome): ToolOutcome {
    this.execution.lastOutcome = outcome
    return outcome
  }

  nestedRun(): NestedRunContext {
    const { execution, call, env } = this
    const resumption = execution.resumption
    const isSame = resumption?.arguments === this.#sent
    return {
      call,
      arguments: this.arguments,
      env,
      parent: execution.parent,
      tracer: execution.context.tracer,
      results: execution.context.results,
      resultScope: execution.resultScope,
      inner: execution.inner,
      // Only the first attempt continues the suspended run; retries start a new run.
      resumption: resumption?.kind === 'nested' && isSame && execution.executions <= 1 ? resumption : undefined,
      elicitation: resumption?.kind === 'elicitation' && isSame ? resumption : undefined,
      describe: (detail) => {
        execution.detail = detail
      },
      describeEffects: (text) => {
        execution.effectsText = text
      },
      endToolTimeout: () => execution.endToolTimeout(),
      runSeparately: execution.context.journal?.nestedRun,
      tool: this.#tool,
    }
  }
}

export function resumedAnswer(request: ToolRequest): unknown {
  const { answer } = request
  const resumption = request instanceof CallRequest ? request.execution.resumption : undefined
  if (answer === undefined) return undefined
  if (resumption?.kind === 'elicitation') return resumption.answers
  return resumption?.kind === 'answer' ? resumption.answer : answer
}

/** The result is `undefined` for a call that a program of code mode makes, because a durable run does not record such calls. */
export function recordedCall(request: ToolRequest): ToolCallExecution | undefined {
  const isRecorded = request instanceof CallRequest && request.execution.context.journal !== undefined
  return isRecorded ? request.execution : undefined
}

export function callRedaction(request: ToolRequest): { redaction?: Redaction; plan?: SensitivePlan } {
  if (!(request instanceof CallRequest)) return {}
  const { redaction, tool } = request.execution
  return {
    ...(redaction !== undefined && { redaction }),
    ...(tool?.sensitive !== undefined && { plan: tool.sensitive }),
  }
}

/** Guardrails must still check `payload`, because an approval does not replace a guardrail. */
function gateFor(payload: Payload, gate: ApprovalGate | undefined): ApprovalGate | undefined {
  return gate && { ...gate, payload: gate.isGuardrail ? gate.payload : payload, outer: gateFor(payload, gate.outer) }
}

function isApproval(answer: PendingAnswer): answer is 'approve' | Approval<JsonValue> {
  return answer === 'approve' || (typeof answer === 'object' && 'decision' in answer && answer.decision === 'approve')
}

/** @throws {TypeError} if neither this package nor another copy of this package created the request. */
export function requireCallRequest(request: ToolRequest<any>): CallRequest {
  if (request instanceof CallRequest || isOfOtherCopy(request)) return request
  throw new TypeError(
    'A layer passed a request that the runtime did not create. Use request.withMeta or request.withArguments. If your layers do so, check that only one version of @toolgen/runtime is installed.',
  )
}

function isOfOtherCopy(request: ToolRequest<any>): request is CallRequest {
  return typeof peek(request, 'approvedAs') === 'function' && typeof peek(request, 'admission') === 'function'
}

class Payload {
  readonly #tool: BoundTool
  readonly #request: Pick<ToolRequest, 'arguments' | 'meta'>
  readonly #redaction: Redaction | undefined
  readonly #adapter: BoundTool['payloadAdapter']
  #json: Promise<JsonText> | undefined = undefined
  #decoded: Decoded<unknown> | Promise<Decoded<unknown>> | undefined = undefined

  /** @param isAdapted true for arguments that an approver changed, because `payloadAdapter` must not change these arguments again */
  constructor(
    tool: BoundTool,
    request: Pick<ToolRequest, 'arguments' | 'meta'>,
    redaction: Redaction | undefined,
    isAdapted = false,
  ) {
    this.#tool = tool
    this.#request = request
    this.#redaction = redaction
    this.#adapter = isAdapted ? undefined : tool.payloadAdapter
  }

  json(): Promise<JsonText> {
    this.#json ??= settled(adapt(this.#adapter, this.#tool, this.#sent, this.#request))
    return this.#json
  }

  get #sent(): JsonText {
    const { arguments: sent } = this.#request
    if (this.#redaction === undefined || this.#tool.keepsPseudonyms) return sent
    return this.#redaction.restoreJson(sent)
  }

  decoded(): Decoded<unknown> | Promise<Decoded<unknown>> {
    const { payload } = this.#tool
    this.#decoded ??=
      this.#adapter === undefined
        ? payload.decode(this.#sent)
        : settled(this.json().then((json) => payload.decode(json)))
    return this.#decoded
  }
}

/** Prevents an unhandled rejection in Node if no code awaits the promise. */
function settled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined)
  return promise
}
