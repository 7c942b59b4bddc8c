import { cloneJson, freezeJson } from '../schema/json-values.js'
import type { Decoded, Issue } from '../types/codec.js'
import type { McpElicitation } from '../types/elicitation.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { CallSuspension, RunSuspension, ToolOutcome } from '../types/outcome.js'
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
import { type Abortable, AbortableSignal, sleep } from './timers.js'
import type { ToolCallExecution } from './tool-call.js'
import { malformedResult, ToolFailure } from './tool-failure.js'

/** Approval of a payload by a layer. */
interface Approval {
  readonly payload: Payload
  readonly recheck: ApprovalCheck
  /** Approval by the next outer approval layer; `undefined` for the outermost approval layer. */
  readonly outer: Approval | undefined
  /** True for the check of a guardrail. It does not replace the approval of a person. */
  readonly isGuardrail?: boolean
}

type ApprovalCheck = (request: CallRequest) => Promise<ToolOutcome | undefined>

interface RequestChanges {
  readonly meta?: ToolCallMeta | undefined
  readonly arguments?: JsonText
  readonly payload?: Payload
  readonly approval?: Approval | undefined
}

/**
 * The request of a call that layers receive. All copies of a request share one `execution`. The type accepts any `env`, because the
 * compiler checks the `env` of the caller.
 */
export class CallRequest implements ToolRequest<any> {
  readonly execution: ToolCallExecution
  readonly arguments: JsonText
  readonly #tool: BoundTool
  /** Metadata that a layer set; `undefined` if no layer changed the metadata of the first attempt. */
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

  /** Object whose abort ends this attempt: the signal that a layer set in `meta`, otherwise the call itself. */
  get limit(): Abortable {
    const own = this.#meta && Object.getOwnPropertyDescriptor(this.#meta, 'signal')
    return own?.value instanceof AbortSignal ? new AbortableSignal(own.value) : this.execution
  }

  get answer(): ToolRequest['answer'] {
    const resumption = this.execution.resumption
    if (resumption === undefined) return undefined
    // The call was approved before its nested run started.
    if (resumption.kind === 'nested') return this.#continues(resumption, 0) ? 'approve' : undefined
    // The call was approved before its MCP server asked.
    const { arguments: approved } = resumption
    const answer = resumption.kind === 'elicitation' ? 'approve' : resumption.answer
    // The approval does not apply to other arguments.
    return answer === 'approve' && approved !== this.arguments ? undefined : answer
  }

  #continues({ arguments: started }: NestedResumption, attempts: number): boolean {
    return started === this.arguments && this.execution.executions <= attempts
  }

  json(): Promise<JsonText> {
    return this.#payload.json()
  }

  async decode(): Promise<Decoded<unknown>> {
    // Each reader gets its own frozen copy, because dates and bytes cannot be frozen. Codecs return plain data.
    return freezeJson(cloneJson(await this.decoded())) as Decoded<unknown>
  }

  /** Internal: the decoded arguments that the tool receives. A promise only if there is a payload adapter. */
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

  /** Returns a copy of the request for the next layer. If an inner layer changes the arguments, `recheck` asks for approval again. */
  approved(recheck: ApprovalCheck): CallRequest {
    return this.#copy({ approval: { payload: this.#payload, recheck, outer: this.#approval } })
  }

  /** Returns a copy of the request for the next layer. If an inner layer changes the arguments, `check` checks them. */
  guarded(check: ApprovalCheck): CallRequest {
    const outer = this.#approval
    return this.#copy({ approval: { payload: this.#payload, recheck: check, outer, isGuardrail: true } })
  }

  /**
   * Checks a call again if its arguments changed after the approval. Returns `undefined` if they are unchanged. Otherwise returns a
   * promise. The promise resolves with `undefined` if the call may run. It resolves with an outcome if the call is rejected or waits for a
   * new approval.
   */
  unapproved(): Promise<ToolOutcome | undefined> | undefined {
    const approval = this.#approval
    if (approval?.isGuardrail === true) return this.#recheck(approval).then((outcome) => outcome ?? this.#resumed())
    return approval === undefined ? this.#resumed() : this.#recheck(approval)
  }

  #resumed(): Promise<ToolOutcome | undefined> | undefined {
    for (let approval = this.#approval; approval !== undefined; approval = approval.outer) {
      if (approval.isGuardrail !== true) return undefined
    }
    const resumption = this.execution.resumption
    if (resumption?.kind !== 'answer' || resumption.answer !== 'approve') return undefined
    return this.isAsApproved().then((isSame) => (isSame ? undefined : this.suspend('approval')))
  }

  async #recheck(innermost: Approval): Promise<ToolOutcome | undefined> {
    for (let approval: Approval | undefined = innermost; approval !== undefined; approval = approval.outer) {
      const outcome = approval.payload === this.#payload ? undefined : await approval.recheck(this)
      if (outcome !== undefined) return outcome
    }
    return undefined
  }

  /**
   * Returns false if the call was resumed with `approve` or with answers to an MCP server, but its arguments have changed. Compares the
   * arguments as sent and, if there is a payload adapter, the adapted arguments.
   */
  async isAsApproved(): Promise<boolean> {
    const resumption = this.execution.resumption
    if (resumption === undefined || resumption.kind === 'nested') return true
    if (resumption.kind === 'answer' && resumption.answer !== 'approve') return true
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

  /** Creates the failed outcome. Does not classify the error, because `failure` already has a reason. */
  async failAs(failure: Failure, cause: unknown): Promise<ToolOutcome> {
    const example = await passingExample(this.#tool, failure, this)
    return this.reached(this.execution.failed(failure, { rejected: this.arguments, example, cause }))
  }

  async suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome> {
    const { answer } = this
    if (answer !== undefined && answer !== 'approve') return this.answered(answer)
    // If the adapter fails, the call fails before its tool runs. Its suspension then keeps the original arguments.
    const adapted = kind === 'approval' ? await this.json().catch(() => this.arguments) : this.arguments
    return this.#suspended({
      kind,
      ...(prompt !== undefined && { prompt }),
      ...(adapted !== this.arguments && { adapted }),
    })
  }

  /** Returns the outcome of a call whose nested run is suspended. */
  suspendedBy(nested: RunSuspension): ToolOutcome {
    const { kind } = nested
    return this.#suspended({ kind, ...(kind === 'clarification' && { prompt: nested.question }), nested })
  }

  /** Returns the outcome of a call whose MCP server asks the user. */
  async suspendedWith(elicitation: McpElicitation): Promise<ToolOutcome> {
    const adapted = await this.json()
    const [question, ...others] = Object.values(elicitation.questions)
    return this.#suspended({
      kind: 'elicitation',
      ...(question !== undefined && others.length === 0 && { prompt: question.message }),
      ...(adapted !== this.arguments && { adapted }),
      elicitation,
    })
  }

  #suspended(facts: Pick<CallSuspension, 'kind' | 'prompt' | 'adapted' | 'nested' | 'elicitation'>): ToolOutcome {
    const { call } = this
    const suspension: CallSuspension = { version: 1, call, arguments: this.arguments, ...facts }
    const provenance = callProvenance(call.tool, this.#tool.executor, this.execution.cost())
    return this.reached({ call, provenance, status: 'suspended', suspension })
  }

  /** Returns the outcome of a suspended call that was answered, but not with `approve`. The tool does not run. Never rejects. */
  async answered(answer: Exclude<NonNullable<ToolRequest['answer']>, 'approve'>): Promise<ToolOutcome> {
    if (answer === 'deny') return deniedOutcome(this)
    if ('decision' in answer) return deniedOutcome(this, answer.reason)
    if ('failure' in answer) {
      const { message, reason = 'domain_rejection' } = answer.failure
      return this.fail(new ToolFailure(message, { reason }))
    }
    // A text answers a question of a nested agent. Otherwise the text must be a valid result of the tool.
    const decoded = this.#tool.result.decodeValue('result' in answer ? answer.result : answer.text)
    if (decoded.ok) return this.complete(decoded.value)
    return this.fail(malformedResult(decoded.issues))
  }

  /** Stores an outcome as the latest outcome of the tool or a layer. Returns the outcome. */
  reached(outcome: ToolOutcome): ToolOutcome {
    this.execution.lastOutcome = outcome
    return outcome
  }

  /** Returns the context of the nested run that produces the result of the call. */
  nestedRun(): NestedRunContext {
    const { execution, call, env } = this
    const resumption = execution.resumption
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
      resumption: resumption?.kind === 'nested' && this.#continues(resumption, 1) ? resumption : undefined,
      elicitation:
        resumption?.kind === 'elicitation' && resumption.arguments === this.arguments ? resumption : undefined,
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

/** Returns the answers with which the call continues after questions of its MCP server; `undefined` for other calls. */
export function elicitationAnswers(request: ToolRequest): unknown {
  const resumption = request instanceof CallRequest ? request.execution.resumption : undefined
  return resumption?.kind === 'elicitation' && request.answer !== undefined ? resumption.answers : undefined
}

/** Returns the state of a call that the journal of a durable run records. `undefined` for a call of a program or of another run. */
export function recordedCall(request: ToolRequest): ToolCallExecution | undefined {
  const isRecorded = request instanceof CallRequest && request.execution.context.journal !== undefined
  return isRecorded ? request.execution : undefined
}

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

/** Returns a promise that causes no unhandled rejection if nobody awaits it. */
function settled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined)
  return promise
}
