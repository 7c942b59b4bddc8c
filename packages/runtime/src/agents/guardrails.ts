import { CallRequest } from '../call/call-request.js'
import { contentForModel } from '../call/content.js'
import { provenanced } from '../call/provenance.js'
import { ignoreErrors } from '../call/telemetry.js'
import { after, untilAborted } from '../call/timers.js'
import { GRACE_MS } from '../call/tool-call.js'
import { ToolFailure } from '../call/tool-failure.js'
import { CHAT_MEDIA } from '../chat/result-content.js'
import { payloadCodec } from '../codec/codecs.js'
import { isFields } from '../schema/json-values.js'
import type { ChatMessage } from '../types/chat.js'
import type { FailureFacts, FailureReason } from '../types/failure.js'
import type { Guardrail, Guardrails, InputGuardrail, ToolResultGuardrail } from '../types/guardrail.js'
import type { JsonSchema, JsonValue } from '../types/json.js'
import type { StepLayer, ToolLayer, ToolRequest } from '../types/layer.js'
import type { GuardrailReport, GuardrailSignal, GuardrailStage, ToolOutcome } from '../types/outcome.js'
import type { Decision, Planner, PlanRequest, RunMeta } from '../types/planner.js'
import { requireDecision } from './decision.js'
import { usageOfError } from './model-cost.js'
import { jsonOf } from './suspension.js'

type AnyGuardrail = Guardrail<never, unknown> & { readonly runInParallel?: boolean }

const STAGES = ['input', 'output', 'toolCall', 'toolResult'] as const satisfies readonly GuardrailStage[]

const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: (value) => typeof value === 'string' && value !== '',
  check: (value) => typeof value === 'function',
  timeoutMs: (value) => value === undefined || (typeof value === 'number' && value > 0),
  onError: (value) => value === undefined || value === 'block' || value === 'flag',
  runInParallel: (value) => value === undefined || typeof value === 'boolean',
}

const EXPECTED: Readonly<Record<string, string>> = {
  name: 'a name',
  check: 'a function (context) => result. For guardrails of the OpenAI Agents SDK, use openAiAgentsGuardrails(...)',
  timeoutMs: 'a number of milliseconds greater than 0',
  onError: "'block' or 'flag'",
  runInParallel: 'true or false',
}

export function requireGuardrails<Env>(guardrails: Guardrails<Env>): Guardrails<Env> {
  const options: unknown = guardrails
  if (!isFields(options)) throw new TypeError('useGuardrails expects an object, for example { input: [guardrail] }.')
  for (const stage of Object.keys(options)) {
    if (STAGES.some((known) => known === stage)) continue
    throw new TypeError(`useGuardrails: unknown stage '${stage}'. Expected ${STAGES.join(', ')}.`)
  }
  for (const stage of STAGES) {
    const list = options[stage] ?? []
    if (!Array.isArray(list)) throw new TypeError(`useGuardrails: ${stage} must be an array of guardrails.`)
    for (const [index, guardrail] of list.entries()) {
      const at = `useGuardrails: ${stage}[${index}]`
      if (!isFields(guardrail)) throw new TypeError(`${at} must be a guardrail, for example { name, check }.`)
      for (const [name, isValid] of Object.entries(FIELDS)) {
        if (!isValid(guardrail[name])) throw new TypeError(`${at}.${name} must be ${EXPECTED[name]}.`)
      }
      if (stage === 'input' || guardrail.runInParallel === undefined) continue
      throw new TypeError(`${at}.runInParallel is only possible for input guardrails. Remove it.`)
    }
  }
  const { input = [], output = [], toolCall = [], toolResult = [] } = guardrails
  return { input: [...input], output: [...output], toolCall: [...toolCall], toolResult: [...toolResult] }
}

interface Verdict extends Omit<GuardrailReport, 'action'> {
  readonly action: GuardrailReport['action'] | 'pass'
  readonly value?: unknown
}

interface CheckOptions {
  readonly stage: GuardrailStage
  readonly signal: AbortSignal
  /** Checks a value that the guardrail rewrote. Omitted if the guardrail must not rewrite the value. */
  readonly problemOf?: (value: unknown) => string | undefined | Promise<string | undefined>
}

const ACTIONS: Readonly<Record<GuardrailStage, string>> = {
  input: 'an input that was not checked is not accepted',
  output: 'an answer that was not checked is not returned',
  toolCall: 'the tool did not run',
  toolResult: 'the tool ran, but its result is withheld',
}

async function verdictOf(guardrail: AnyGuardrail, context: object, options: CheckOptions): Promise<Verdict> {
  const { stage, signal } = options
  const { name, onError = 'block' } = guardrail
  try {
    const result = await untilAborted(signal, () => withinTime(guardrail, context))
    return await readVerdict(guardrail, result, options)
  } catch (error) {
    // The run was cancelled.
    if (signal.aborted) throw error
    const info = { error: error instanceof Error ? error.message : String(error) }
    const message = `The guardrail '${name}' failed, so ${ACTIONS[stage]}.`
    return { stage, guardrail: name, action: onError, message, info }
  }
}

async function withinTime({ name, timeoutMs, check }: AnyGuardrail, context: object): Promise<unknown> {
  // `never` in the type of the context: the types of useGuardrails check it.
  const work = async () => check(context as never)
  if (timeoutMs === undefined) return work()
  let stopTimer: (() => void) | undefined
  const timeout = new Promise<never>((_, reject) => {
    const error = new Error(`The guardrail '${name}' did not end within ${timeoutMs} ms.`)
    stopTimer = after(timeoutMs, () => reject(error))
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    stopTimer?.()
  }
}

async function readVerdict(
  { name }: AnyGuardrail,
  result: unknown,
  { stage, problemOf }: CheckOptions,
): Promise<Verdict> {
  if (result === 'pass') return { stage, guardrail: name, action: 'pass' }
  if (!isFields(result)) throw new TypeError("The check must return 'pass' or an object with `action`.")
  const { action, message, value } = result
  const isOfTool = stage === 'toolCall' || stage === 'toolResult'
  if (action !== 'flag' && action !== 'block' && action !== 'rewrite' && !(action === 'stop' && isOfTool)) {
    const allowed = `'flag', 'block'${isOfTool ? ", 'rewrite' or 'stop'" : " or 'rewrite'"}`
    throw new TypeError(`The check returned the action ${JSON.stringify(action)}. Expected ${allowed}.`)
  }
  if (typeof message !== 'string' && (message !== undefined || action === 'block' || action === 'stop')) {
    throw new TypeError(`The check returned the action '${action}' without a message.`)
  }
  if (action === 'rewrite') {
    if (problemOf === undefined) throw new TypeError('To rewrite the input, set `runInParallel: false`.')
    const problem = await problemOf(value)
    if (problem !== undefined) throw new TypeError(`The rewritten value is invalid: ${problem}`)
  }
  const json = jsonOf(result.info)
  return {
    stage,
    guardrail: name,
    action,
    ...(message !== undefined && { message }),
    ...(json !== undefined && { info: JSON.parse(json) }),
    ...(action === 'rewrite' && { value }),
  }
}

function reportOf({ value: _, action, ...verdict }: Verdict): GuardrailReport | undefined {
  return action === 'pass' ? undefined : { ...verdict, action }
}

function signalOf({ guardrail: by, stage, message = '', info }: Verdict): GuardrailSignal {
  return Object.freeze({ reason: 'guardrail', by, stage, message, ...(info !== undefined && { info }) })
}

/**
 * A durable run records its decisions and calls together with the results of their guardrails. A replay therefore does not run the guardrails again.
 */
export class AgentGuardrails {
  readonly #guardrails: Required<Guardrails<any>>
  readonly #schema: JsonSchema | undefined
  readonly #onDerivedMeta: (meta: RunMeta, derived: RunMeta) => void
  readonly #envs = new WeakMap<RunMeta, unknown>()

  /**
   * @param onDerivedMeta called before a model request that runs in parallel with input guardrails. The metadata of this request is a copy of the
   * step's metadata with another abort signal
   */
  constructor(
    all: readonly Guardrails<any>[],
    schema: JsonSchema | undefined,
    onDerivedMeta: (meta: RunMeta, derived: RunMeta) => void,
  ) {
    this.#guardrails = {
      input: all.flatMap(({ input = [] }) => input),
      output: all.flatMap(({ output = [] }) => output),
      toolCall: all.flatMap(({ toolCall = [] }) => toolCall),
      toolResult: all.flatMap(({ toolResult = [] }) => toolResult),
    }
    this.#schema = schema
    this.#onDerivedMeta = onDerivedMeta
  }

  /** Must be the innermost step layer, because other layers may change the request of a step. */
  get stepLayer(): StepLayer | undefined {
    const { input, output } = this.#guardrails
    if (input.length + output.length === 0) return undefined
    return (next) => (request) => {
      this.#envs.set(request.meta, request.env)
      return next(request)
    }
  }

  /** Must run inside the hooks, because hooks can change arguments. */
  get callLayer(): ToolLayer | undefined {
    if (this.#guardrails.toolCall.length === 0) return undefined
    return (next) => async (request) => {
      const checked = await this.#checkedCall(request)
      if (!('request' in checked)) return checked
      const { request: accepted } = checked
      return next(accepted instanceof CallRequest ? accepted.guarded((late) => this.#lateCall(late)) : accepted)
    }
  }

  /** Must run around all other layers of the agent, because these layers can change the result. */
  get resultLayer(): ToolLayer | undefined {
    const { toolResult } = this.#guardrails
    if (toolResult.length === 0) return undefined
    return (next) => async (request) => {
      let outcome = await next(request)
      for (const guardrail of toolResult) {
        if (outcome.status === 'suspended') return outcome
        outcome = await checkedOutcome(guardrail, request, outcome)
      }
      return outcome
    }
  }

  planner(inner: Planner): Planner {
    const { input, output } = this.#guardrails
    if (input.length + output.length === 0) return inner
    return async (request) => {
      const reports: GuardrailReport[] = []
      const decision = await this.#decision(inner, request, reports)
      return reports.length === 0 ? decision : { ...decision, guardrails: reports }
    }
  }

  async #decision(inner: Planner, request: PlanRequest, reports: GuardrailReport[]): Promise<Decision> {
    const { input, output } = this.#guardrails
    const start = input.length === 0 ? request.messages.length : newInputStart(request)
    const messages = await this.#rewritten(request, start, reports)
    // Blocked messages must not be sent to the model later, for example in the next run of a session.
    const accepted = request.messages.slice(0, start)
    if ('reason' in messages) return { kind: 'stop', stop: messages, messages: accepted }
    const isChanged = messages !== request.messages
    const { onDelta, ...withoutDeltas } = request
    const asked = { ...(output.length > 0 ? withoutDeltas : request), messages }
    const parallel = start === messages.length ? [] : input.filter(({ runInParallel = true }) => runInParallel)
    const decision =
      parallel.length === 0
        ? requireDecision(await inner(asked))
        : await this.#inParallel(inner, asked, { parallel, start, accepted, reports })
    const checked = await this.#checkedOutput(decision, asked, reports)
    return isChanged && checked.messages === undefined ? { ...checked, messages } : checked
  }

  async #rewritten(
    request: PlanRequest,
    start: number,
    reports: GuardrailReport[],
  ): Promise<readonly ChatMessage[] | GuardrailSignal> {
    let { messages } = request
    for (const guardrail of this.#guardrails.input.filter(({ runInParallel }) => runInParallel === false)) {
      for (let index = start; index < messages.length; index += 1) {
        const problemOf = (value: unknown) => (typeof value === 'string' ? undefined : 'expected a string.')
        const verdict = await this.#checkedInput(guardrail, { ...request, messages }, index, reports, problemOf)
        if (verdict.action === 'block') return signalOf(verdict)
        if (verdict.action === 'rewrite') messages = messages.with(index, withText(messages[index], verdict.value))
      }
    }
    return messages
  }

  async #checkedInput(
    guardrail: InputGuardrail,
    { messages, meta }: PlanRequest,
    index: number,
    reports: GuardrailReport[],
    problemOf?: CheckOptions['problemOf'],
  ): Promise<Verdict> {
    const message = messages[index] as ChatMessage
    const context = Object.freeze({ text: textOf(message), message, messages, env: this.#envs.get(meta), meta })
    const { signal } = meta
    const verdict = await verdictOf(guardrail, context, { stage: 'input', signal, ...(problemOf && { problemOf }) })
    const report = reportOf(verdict)
    if (report !== undefined) reports.push(report)
    return verdict
  }

  async #inParallel(
    inner: Planner,
    request: PlanRequest,
    {
      parallel,
      start,
      accepted,
      reports,
    }: {
      readonly parallel: readonly InputGuardrail[]
      readonly start: number
      readonly accepted: readonly ChatMessage[]
      readonly reports: GuardrailReport[]
    },
  ): Promise<Decision> {
    const limit = new AbortController()
    const meta = Object.freeze({ ...request.meta, signal: AbortSignal.any([request.meta.signal, limit.signal]) })
    this.#onDerivedMeta(request.meta, meta)
    const deltas = heldDeltas(request.onDelta)
    const asked = { ...request, meta, ...(deltas && { onDelta: deltas.receive }) }
    const settled = untilAborted(limit.signal, async () => requireDecision(await inner(asked)), GRACE_MS).then(
      (decision) => ({ decision, error: undefined }),
      (error: unknown) => ({ decision: undefined, error }),
    )
    const stop = await new Promise<GuardrailSignal | undefined>((resolve, reject) => {
      const checks = parallel.flatMap((guardrail) =>
        request.messages.slice(start).map(async (_, offset) => {
          const verdict = await this.#checkedInput(guardrail, request, start + offset, reports)
          if (verdict.action === 'block') resolve(signalOf(verdict))
        }),
      )
      Promise.all(checks).then(() => resolve(undefined), reject)
    })
    if (stop === undefined) deltas?.release()
    else limit.abort(new DOMException('A guardrail blocked the input.', 'AbortError'))
    const { decision, error } = await settled
    if (stop === undefined) {
      if (decision === undefined) throw error
      return decision
    }
    // The tokens of the aborted request count, if they are known.
    const usage = decision === undefined ? usageOfError(error) : decision.usage
    const model = decision?.model
    const cost = { ...(usage !== undefined && { usage }), ...(model !== undefined && { model }) }
    return { kind: 'stop', stop, messages: accepted, ...cost }
  }

  async #checkedOutput(
    decision: Decision,
    { messages, meta, responseFormat }: PlanRequest,
    reports: GuardrailReport[],
  ): Promise<Decision> {
    let checked = decision
    for (const guardrail of this.#guardrails.output) {
      const current = checked
      if (current.kind !== 'answer' && current.kind !== 'question') return current
      const output = outputOf(current)
      const isValue = 'value' in output
      const context = Object.freeze({ ...output, messages, env: this.#envs.get(meta), meta })
      const schema = responseFormat?.schema ?? this.#schema
      const problemOf = (changed: unknown) => (isValue ? valueProblem(changed, schema) : textProblem(changed))
      const verdict = await verdictOf(guardrail, context, { stage: 'output', signal: meta.signal, problemOf })
      const report = reportOf(verdict)
      if (report !== undefined) reports.push(report)
      if (verdict.action === 'block') {
        const { usage, model, finishReason } = current
        const cost = { ...(usage !== undefined && { usage }), ...(model !== undefined && { model }) }
        return { kind: 'stop', stop: signalOf(verdict), ...cost, ...(finishReason !== undefined && { finishReason }) }
      }
      // The checks above accept only JSON values, and only strings for a text.
      if (verdict.action === 'rewrite') checked = withOutput(current, verdict.value as JsonValue)
    }
    return checked
  }

  async #checkedCall<Env>(request: ToolRequest<Env>): Promise<ToolOutcome | { readonly request: ToolRequest<Env> }> {
    let current = request
    for (const guardrail of this.#guardrails.toolCall) {
      const decoded = await current.decode()
      // The call fails, or an inner layer corrects the arguments, which are then checked.
      if (!decoded.ok) return { request: current }
      const { tool, call, env, meta } = current
      const context = Object.freeze({ tool, call, arguments: decoded.value, env, meta })
      const problemOf = async (value: unknown) => {
        const json = isFields(value) ? jsonOf(value) : undefined
        if (json === undefined) return 'expected an object that JSON can represent.'
        const changed = await current.withArguments(json).decode()
        return changed.ok ? undefined : changed.issues.map(({ path, message }) => `${path}: ${message}`).join(' ')
      }
      const verdict = await verdictOf(guardrail, context, { stage: 'toolCall', signal: meta.signal, problemOf })
      reportCall(current, verdict)
      if (verdict.action === 'block' || verdict.action === 'stop') return rejected(current, verdict)
      if (verdict.action === 'rewrite') current = current.withArguments(JSON.stringify(verdict.value))
    }
    return { request: current }
  }

  /** Checks arguments that an inner layer changed. Returns `undefined` if the guardrails accept the arguments unchanged. */
  async #lateCall(request: ToolRequest): Promise<ToolOutcome | undefined> {
    const checked = await this.#checkedCall(request)
    if (!('request' in checked)) return checked
    if (checked.request === request) return undefined
    return request.fail(
      new TypeError(
        `A layer of '${request.tool.id}' changed the arguments, and a guardrail wants to rewrite the changed arguments. Change them in a layer of the agent or the run instead.`,
      ),
    )
  }
}

function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'expected a string.'
}

function valueProblem(value: unknown, schema: JsonSchema | undefined): string | undefined {
  const json = jsonOf(value)
  if (json === undefined) return 'expected a value that JSON can represent.'
  if (schema === undefined) return undefined
  const decoded = payloadCodec({ schema, unknown: 'keep' }).decode(json)
  return decoded.ok ? undefined : decoded.issues.map(({ path, message }) => `${path}: ${message}`).join(' ')
}

function newInputStart({ messages, turn, isCorrection, responseFormat }: PlanRequest): number {
  if (isCorrection === true || responseFormat !== undefined) return messages.length
  const start = messages.findLastIndex(({ role }) => role !== 'user') + 1
  const before = messages[start - 1]
  // After the first step, the user writes only if the run has asked a question, or if a run layer continues the conversation.
  const isReply = before?.role === 'assistant' && (before.tool_calls ?? []).length === 0
  return turn === 1 || isReply ? start : messages.length
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function withText(message: ChatMessage | undefined, text: unknown): ChatMessage {
  // `any`: the fields keep their types, and the guardrail returned a string.
  const fields: any = { ...message, content: text }
  if (!Array.isArray(message?.content)) return fields
  const others = message.content.filter(({ type }) => type !== 'text')
  return { ...fields, content: [{ type: 'text', text }, ...others] }
}

type FinalDecision = Extract<Decision, { readonly kind: 'answer' | 'question' }>

function outputOf(decision: FinalDecision): { readonly text: string; readonly value?: JsonValue } {
  if (decision.kind === 'question') return { text: decision.question }
  if (!('value' in decision)) return { text: decision.text }
  const { value, text = JSON.stringify(value) } = decision
  return { text, value }
}

/** Omits the model's message and its reasoning, so that the conversation does not contain the replaced output. */
function withOutput(decision: FinalDecision, value: JsonValue): Decision {
  const text = typeof value === 'string' && !('value' in decision) ? value : JSON.stringify(value)
  const message = decision.message !== undefined && { message: { role: 'assistant', content: text } as const }
  if (decision.kind === 'question') return { ...decision, ...message, question: text }
  return 'value' in decision ? { ...decision, ...message, value, text } : { ...decision, ...message, text }
}

function heldDeltas(onDelta: PlanRequest['onDelta']) {
  if (onDelta === undefined) return undefined
  let held: Parameters<typeof onDelta>[0][] | undefined = []
  return {
    receive: (delta: Parameters<typeof onDelta>[0]): void => {
      if (held === undefined) onDelta(delta)
      else held.push(delta)
    },
    release: (): void => {
      for (const delta of held ?? []) onDelta(delta)
      held = undefined
    },
  }
}

function reportCall(request: ToolRequest, verdict: Verdict): void {
  const report = reportOf(verdict)
  if (report === undefined || !(request instanceof CallRequest)) return
  const { execution } = request
  const ofCall = { ...report, call: request.call }
  const { redaction } = execution
  execution.events?.publish({ type: 'guardrail', ...(redaction?.structure(ofCall, 'events') ?? ofCall) })
  const { tracer } = execution.context
  if (tracer?.guardrail === undefined) return
  const shown = redaction?.structure(ofCall, 'telemetry') ?? ofCall
  ignoreErrors(() => tracer.guardrail?.(shown, request.meta))
}

async function rejected(request: ToolRequest, verdict: Verdict): Promise<ToolOutcome> {
  const { guardrail, stage, action, message = '' } = verdict
  const text = stage === 'toolCall' ? message : `The tool ran, but its result was withheld: ${message}`
  const failure = new ToolFailure(text, { reason: 'denied' })
  const outcome = await request.fail(provenanced(failure, { extra: { guardrail } }))
  return action === 'stop' ? Object.freeze({ ...outcome, stop: signalOf(verdict) }) : outcome
}

/**
 * These reasons require issues of the arguments. A failure that a guardrail rewrote has only a message, and therefore the reason `domain_rejection`.
 */
const WITH_ISSUES: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'missing_fields',
  'invalid_arguments',
  'unknown_tool',
])

async function checkedOutcome(
  guardrail: ToolResultGuardrail,
  request: ToolRequest,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  const { tool, call, arguments: sent, env, meta } = request
  const { text } = contentForModel(outcome, CHAT_MEDIA)
  const context = Object.freeze({ tool, call, arguments: sent, outcome, text, env, meta })
  const problemOf = (value: unknown) =>
    outcome.status === 'completed' ? valueProblem(value, undefined) : textProblem(value)
  const verdict = await verdictOf(guardrail, context, { stage: 'toolResult', signal: meta.signal, problemOf })
  reportCall(request, verdict)
  const { action, value } = verdict
  if (action === 'block' || action === 'stop') return rejected(request, verdict)
  if (action !== 'rewrite') return outcome
  const detail = { extra: { guardrail: guardrail.name } }
  if (outcome.status !== 'failed') return request.complete(provenanced(value, detail))
  const reason = WITH_ISSUES.has(outcome.hint.reason) ? 'domain_rejection' : outcome.hint.reason
  // A message is the only fact that the new failure keeps.
  const facts = { reason } as FailureFacts
  return request.fail(provenanced(new ToolFailure(String(value), facts), detail))
}
