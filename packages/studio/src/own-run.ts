import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type {
  AgentToolSpec,
  ApprovalDecision,
  ApprovalRequest,
  BoundAgent,
  BoundToolset,
  JsonValue,
  ToolCallRef,
  ToolOutcome,
} from '@toolgen/runtime'
import type { PendingAnswer as Answer, Answers, PendingCall, RunHandle, RunSuspension } from '@toolgen/runtime/agents'
import { type ChatMessage, runItems } from '@toolgen/runtime/chat'
import { parsePointer, payloadCodec, prepareSchema } from '@toolgen/runtime/schema'
import type { PendingAnswer, RunAnswer } from './api.js'
import { RequestError } from './errors.js'
import { hasHidden, hiddenTexts, parsed, plain, restoredArguments } from './hidden-values.js'
import { bytesOf, bytesOfText, type Recording, type RunEvent, statusOf } from './run-record.js'

export type ContextOptions = Readonly<Record<string, unknown>>

export interface KnownTools {
  specOf(tool: string, agent: string | undefined): AgentToolSpec | undefined
  issueOf(tool: string, agent: string | undefined, sent: string): Promise<string | undefined>
}

/** Clients may only receive the property `shown`. */
interface Waiting {
  readonly shown: PendingAnswer
  /** Contains hidden values. Absent for a question. */
  readonly original?: unknown
  readonly isForm?: boolean
}

interface WaitingSuspended extends Waiting {
  /** Id of the suspended call. The call continues when all its questions have answers. */
  readonly call: string
  readonly answerId: string
}

interface LiveApproval extends Waiting {
  readonly resolve: (decision: ApprovalDecision) => void
}

interface Suspended {
  readonly id: string
  readonly pending: PendingCall
  readonly call: string
}

/** The studio may show these texts, because events of the call contain the same texts. */
interface ShownCall extends Pick<ToolCallRef, 'tool' | 'toolCallId'> {
  readonly arguments: string
  prompt?: string
}

const BY = 'studio'

const QUESTION = 'question:'

/** A call id alone is not unique, because models choose the ids of calls in nested runs. */
function keyOf(agent: string | undefined, { tool, toolCallId }: Pick<ToolCallRef, 'tool' | 'toolCallId'>): string {
  return JSON.stringify([agent, tool, toolCallId])
}

abstract class OwnRun {
  readonly record: Recording
  protected readonly tools: KnownTools
  protected readonly cancelling: AbortController = new AbortController()
  readonly #context: ContextOptions
  readonly #calls = new Map<string, ShownCall>()
  readonly #live = new Map<string, LiveApproval>()
  #suspended: ReadonlyMap<string, WaitingSuspended> = new Map()
  /**
   * By the runtime's id of a question: the studio's id and a hash of the question. If the runtime asks the same question again, the studio uses the
   * same id.
   */
  readonly #asked = new Map<string, { readonly id: string; readonly digest: string }>()
  /** Answers that the run cannot use yet, because the same call has further questions without an answer. */
  #kept: ReadonlyMap<string, Answer> = new Map()

  constructor(record: Recording, tools: KnownTools, context: ContextOptions) {
    this.record = record
    this.tools = tools
    this.#context = context
  }

  protected stateBytes = 0

  protected abstract resume(answers: Answers): void
  protected abstract release(): void
  /** Resolves when the record contains all events that have occurred so far. */
  protected abstract caughtUp(): Promise<void>

  /** The approver of the application has precedence over the studio's approver. */
  protected get options(): ContextOptions & { readonly env: object } {
    const { env, ...others } = this.#context
    const approval = { approve: (request: ApprovalRequest) => this.#approve(request) }
    return {
      ...others,
      deepTracing: true,
      signal: this.cancelling.signal,
      onEvent: (event: RunEvent) => this.observe(event),
      env: { approval, ...Object(env) },
    }
  }

  get bytes(): number {
    const calls = [...this.#calls.values()].reduce((sum, each) => sum + bytesOfText(each.arguments), 0)
    // Estimates the size of original arguments from the shown arguments, which have a similar size.
    const waiting = [...this.#live.values(), ...this.#suspended.values()]
    const originals = waiting.reduce((sum, { shown }) => sum + bytesOfText(shown.arguments ?? ''), 0)
    return (
      calls + originals + [...this.#kept.values()].reduce((sum, each) => sum + bytesOf([each]), 0) + this.stateBytes
    )
  }

  cancel(reason: string): void {
    this.record.cancelReason ??= reason
    this.cancelling.abort(new DOMException(reason, 'AbortError'))
    if (this.#suspended.size === 0) return
    this.#suspended = new Map()
    this.#kept = new Map()
    this.release()
    this.record.setState('cancelled')
  }

  get #open(): ReadonlyMap<string, WaitingSuspended> {
    return new Map([...this.#suspended].filter(([id]) => !this.#kept.has(id)))
  }

  /**
   * If a call has several questions, stores the answers until each question of the call has an answer.
   *
   * @throws {RequestError} if an id is unknown or an answer has the wrong type. After an error, none of the answers has an effect.
   */
  async answer(answers: Readonly<Record<string, RunAnswer>>): Promise<void> {
    const live: (() => void)[] = []
    const resumed: Record<string, Answer> = {}
    for (const [id, answer] of Object.entries(answers)) {
      const waiting = this.#live.get(id) ?? this.#open.get(id)
      if (waiting === undefined) {
        const ids = [...this.#live.keys(), ...this.#open.keys()].map((each) => `\`${each}\``).join(', ')
        const message = `Nothing waits for an answer with the id \`${id}\`.`
        throw new RequestError(409, message, ids === '' ? 'Request the run again.' : `These ids wait: ${ids}.`)
      }
      const value = await this.#valueOf(id, waiting, answer)
      if ('resolve' in waiting) live.push(() => this.#settle(id, waiting as LiveApproval, value as ApprovalDecision))
      else resumed[id] = value
    }
    // Checks the ids again, because another request can have answered in the meantime.
    const isLate = Object.keys(answers).some((id) => !this.#live.has(id) && !this.#open.has(id))
    if (isLate) throw new RequestError(409, 'The run has already received an answer.', 'Request the run again.')
    for (const settle of live) settle()
    this.#kept = new Map([...this.#kept, ...Object.entries(resumed)])
    const answered = new Set([...this.#kept.keys()].map((id) => this.#suspended.get(id)?.call))
    const isIncomplete = [...this.#open.values()].some(({ call }) => answered.has(call))
    if (this.#kept.size === 0 || isIncomplete) {
      this.#publish()
      return
    }
    const given = Object.fromEntries(
      [...this.#kept].map(([id, each]) => [this.#suspended.get(id)?.answerId ?? id, each]),
    )
    const [question] = Object.entries(given).flatMap(([id, each]) => (id.startsWith(QUESTION) ? [each] : []))
    this.#suspended = new Map()
    this.#kept = new Map()
    this.#publish()
    this.resume(question !== undefined && typeof question === 'object' && 'text' in question ? question.text : given)
  }

  protected suspend(waiting: readonly Suspended[] | string): void {
    const id = `${QUESTION}${crypto.randomUUID()}`
    const entries: readonly (readonly [string, WaitingSuspended])[] =
      typeof waiting === 'string'
        ? [[id, { shown: { id, kind: 'clarification', prompt: waiting }, call: id, answerId: id }]]
        : waiting.map((each) => {
            const entry = this.#waitingFor(each)
            return [entry.shown.id, entry]
          })
    this.#suspended = new Map(entries)
    this.#publish()
  }

  protected observe(event: RunEvent): void {
    if (event.type === 'call_started') {
      const { tool, toolCallId } = event.call
      this.#calls.set(keyOf(event.agent, event.call), { tool, toolCallId, arguments: event.arguments })
    }
    if (event.type !== 'call_ended') return
    const { call, outcome } = event
    const key = keyOf(event.agent, call)
    const shown = this.#calls.get(key)
    if (outcome.status !== 'suspended') this.#calls.delete(key)
    else if (shown !== undefined && outcome.suspension.prompt !== undefined) shown.prompt = outcome.suspension.prompt
  }

  async #approve({ tool, agent, toolCallId, arguments: original, prompt, signal }: ApprovalRequest) {
    await this.caughtUp()
    const shown = this.#calls.get(keyOf(agent, { tool, toolCallId }))?.arguments ?? '{}'
    const spec = this.tools.specOf(tool, agent)
    const values = plain(original)
    const isHidden = hasHidden(values, parsed(shown), spec?.sensitive !== undefined)
    const pending = this.#identified({
      ...{ id: toolCallId, kind: 'approval', tool, arguments: shown },
      ...(agent !== undefined && { agent }),
      // Shows the template of the prompt if arguments are hidden, because the filled prompt can contain a hidden value.
      ...(prompt !== undefined && { prompt: isHidden ? (spec?.confirmation?.prompt ?? 'Approve this call?') : prompt }),
      ...this.#schemaOf(tool, agent),
    })
    const { id } = pending
    return new Promise<ApprovalDecision>((resolve, reject) => {
      const leave = (): void => {
        if (this.#live.delete(id)) this.#publish()
        reject(signal.reason)
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      const finish = (decision: ApprovalDecision): void => {
        signal.removeEventListener('abort', leave)
        resolve(decision)
      }
      this.#live.set(id, { shown: pending, original: values, resolve: finish })
      this.#publish()
    })
  }

  #settle(id: string, { resolve }: LiveApproval, decision: ApprovalDecision): void {
    this.#live.delete(id)
    resolve(decision)
  }

  #publish(): void {
    if (this.record.isEnded) return
    const pending = [...this.#live.values(), ...this.#open.values()].map(({ shown }) => shown)
    this.record.setState(pending.length > 0 ? 'waiting' : 'running', pending)
  }

  protected shownCall(
    agent: string | undefined,
    call: Pick<ToolCallRef, 'tool' | 'toolCallId'>,
  ): ShownCall | undefined {
    const exact = this.#calls.get(keyOf(agent, call))
    if (exact !== undefined) return exact
    // The question of a nested agent names the nested agent, but the outer agent made the call.
    const { tool, toolCallId } = call
    return [...this.#calls.values()].find((each) => each.tool === tool && each.toolCallId === toolCallId)
  }

  #waitingFor({ id, pending, call: group }: Suspended): WaitingSuspended {
    const { kind, call, agent, arguments: sent, adapted, prompt, question } = pending
    const known = this.shownCall(agent, call)
    const original = parsed(adapted ?? sent)
    // Hides values also in the question, because an MCP server can repeat arguments in a question.
    const hidden = known === undefined ? [] : hiddenTexts(original, parsed(known.arguments))
    const asked = question === undefined ? known?.prompt : hidden.reduce(withReplaced, prompt)
    const asksForm = question?.mode === 'form'
    const schema = asksForm ? { schema: question.schema } : kind === 'approval' ? this.#schemaOf(call.tool, agent) : {}
    const shown = this.#identified({
      ...{ id, kind, tool: call.tool, agent },
      ...(asked !== undefined && { prompt: asked }),
      ...(question?.mode === 'url' && { url: question.url }),
      ...(known !== undefined && question === undefined && { arguments: known.arguments }),
      ...schema,
    })
    return { shown, original, isForm: asksForm, call: group, answerId: id }
  }

  /**
   * Makes the id unique in the run. Models and servers can repeat ids, and an answer to an old question must not answer a new question. A question
   * that the runtime repeats unchanged keeps its id.
   */
  #identified(asked: PendingAnswer): PendingAnswer {
    const digest = createHash('sha256').update(JSON.stringify(asked)).digest('base64')
    const last = this.#asked.get(asked.id)
    const isOpen = this.#live.has(last?.id ?? asked.id)
    const isKnown = last === undefined || last.digest === digest
    const id = isKnown && !isOpen ? (last?.id ?? asked.id) : `${asked.id}#${crypto.randomUUID()}`
    this.#asked.set(asked.id, { id, digest })
    return { ...asked, id }
  }

  #schemaOf(tool: string, agent: string | undefined): Pick<PendingAnswer, 'schema'> {
    const spec = this.tools.specOf(tool, agent)
    return spec === undefined ? {} : { schema: spec.arguments }
  }

  async #valueOf(id: string, { shown, original, isForm }: Waiting, answer: RunAnswer): Promise<Answer> {
    const { kind, tool = '', agent } = shown
    const wrong = (expected: string): RequestError =>
      new RequestError(
        400,
        `The answer to \`${id}\` does not fit the kind \`${kind}\` (answers.${id}).`,
        `Send ${expected}.`,
      )
    if ('decision' in answer && answer.decision === 'deny') {
      const { reason } = answer
      if (kind === 'elicitation') return { action: 'decline' }
      if (kind === 'approval') return { decision: 'deny', by: BY, ...(reason !== undefined && { reason }) }
      if (id.startsWith(QUESTION)) throw wrong('`{ "text": "..." }`, or cancel the run')
      return { failure: { message: reason ?? 'A person declined the call.' } }
    }
    switch (kind) {
      case 'approval': {
        if (!('decision' in answer)) throw wrong('`{ "decision": "approve" }` or `{ "decision": "deny" }`')
        if (answer.arguments === undefined) return { decision: 'approve', by: BY }
        const invalid = (issue: string): RequestError =>
          new RequestError(400, `The edited arguments of \`${tool}\` are invalid.`, issue)
        const edited = anyArguments.decode(answer.arguments)
        if (!edited.ok) throw invalid(edited.issues.map(({ message }) => message).join(' '))
        const restored = restoredArguments(edited.value, parsed(shown.arguments ?? ''), original)
        const issue = await this.tools.issueOf(tool, agent, JSON.stringify(restored))
        if (issue !== undefined) throw invalid(issue)
        return { decision: 'approve', arguments: restored as JsonValue, by: BY }
      }
      case 'external':
        if ('result' in answer) return { result: answer.result }
        throw wrong('`{ "result": ... }` with the result of the call')
      case 'clarification':
        if ('text' in answer) return { text: answer.text }
        throw wrong('`{ "text": "..." }`')
      case 'elicitation':
        if (isForm !== true && 'decision' in answer) return { action: 'accept' }
        if ('content' in answer) {
          const [issue] = shown.schema === undefined ? [] : prepareSchema(shown.schema).validate(answer.content)
          if (issue === undefined) return { action: 'accept', content: answer.content }
          const place = issue.path === '' ? '' : `\`${parsePointer(issue.path)?.join('.')}\`: `
          throw new RequestError(400, `The answer to "${shown.prompt ?? kind}" is invalid.`, `${place}${issue.message}`)
        }
        throw wrong(isForm === true ? '`{ "content": { ... } }`' : '`{ "decision": "approve" }`')
    }
  }
}

/** Detects invalid JSON and values with too many levels. */
const anyArguments = payloadCodec<never, unknown>({ schema: { type: 'object', additionalProperties: true } })

/** Event loop turns that an approval waits until the record contains all earlier events. */
const MAX_TURNS = 100

export class OwnAgentRun extends OwnRun {
  readonly #agent: BoundAgent<any>
  #occurred = 0
  #recorded = 0
  #isReading = false
  #suspension: RunSuspension | undefined
  /** `undefined` if a tool needs an id from the application, and the application has passed none. */
  readonly sessionId: unknown
  /** Contains hidden values. */
  conversation: readonly ChatMessage[] | undefined

  constructor(agent: BoundAgent<any>, record: Recording, tools: KnownTools, context: ContextOptions) {
    super(record, tools, context)
    this.#agent = agent
    this.sessionId = context.sessionId
  }

  /**
   * Returns the reason why a new run of `agent` cannot use the hidden values of this run and their replacements, such as
   * `email_0f3c5a7b9d1e@redacted.invalid`.
   */
  otherScope(agent: BoundAgent<any>, { sessionId }: ContextOptions): string | undefined {
    const { name } = agent.agent
    if (agent.target.context !== this.#agent.target.context) {
      return name === this.#agent.agent.name
        ? 'the module was loaded again'
        : `the agent \`${name}\` has another runtime`
    }
    return sessionId !== undefined && sessionId === this.sessionId ? undefined : 'the new run has another session'
  }

  protected override get options(): ContextOptions & { readonly env: object } {
    const options = super.options
    const { cassette } = this.record
    return cassette === undefined ? options : { ...options, config: cassette.recording(options.config) }
  }

  start(input: readonly ChatMessage[]): void {
    void this.#follow(this.#agent.run(input, { ...this.options, runId: this.record.facts.id }))
  }

  protected override resume(answers: Answers): void {
    const suspension = this.#suspension
    if (suspension === undefined) throw new TypeError('The run is not suspended.')
    this.#suspension = undefined
    // Adds the answer to the record, because the resumed run does not emit an item for the answer.
    if (typeof answers === 'string') {
      for (const item of runItems([{ role: 'user', content: answers }])) this.record.add({ kind: 'item', item })
    }
    void this.#follow(this.#agent.resume(suspension, answers, this.options))
  }

  protected override release(): void {
    this.#suspension = undefined
    this.stateBytes = bytesOf(this.conversation ?? [])
  }

  protected override observe(event: RunEvent): void {
    super.observe(event)
    this.record.cassette?.sink(event)
    this.#occurred += 1
  }

  protected override async caughtUp(): Promise<void> {
    const target = this.#occurred
    for (let turn = 0; turn < MAX_TURNS && this.#isReading && this.#recorded < target; turn += 1) await setImmediate()
  }

  async #follow(handle: RunHandle): Promise<void> {
    const { record } = this
    this.#isReading = true
    for await (const part of handle.parts()) {
      record.add(part)
      if (part.kind === 'event') this.#recorded += 1
    }
    this.#isReading = false
    this.#recorded = this.#occurred
    const { status, suspension, messages, usage } = await handle
    record.setUsage(usage)
    this.conversation = messages
    this.stateBytes = bytesOf(messages) + (suspension === undefined ? 0 : bytesOf(suspension))
    if (suspension === undefined || this.cancelling.signal.aborted) {
      record.setState(suspension === undefined ? status : 'cancelled')
      return
    }
    this.#suspension = suspension
    const { pending } = suspension
    if (pending.length > 0) this.suspend(pending.map(suspended))
    else this.suspend(lastText(record.messages))
  }
}

export class OwnCall extends OwnRun {
  readonly #owner: BoundAgent<any> | BoundToolset<any>
  #outcome: Extract<ToolOutcome, { readonly status: 'suspended' }> | undefined

  constructor(
    owner: BoundAgent<any> | BoundToolset<any>,
    record: Recording,
    tools: KnownTools,
    context: ContextOptions,
  ) {
    super(record, tools, context)
    this.#owner = owner
  }

  start(sent: string): Promise<void> {
    const { id, tool = '' } = this.record.facts
    return this.#follow(this.#owner.execute({ tool, arguments: sent, toolCallId: id }, this.options))
  }

  protected override resume(answers: Answers): void {
    const outcome = this.#outcome
    if (outcome === undefined) throw new TypeError('The call is not suspended.')
    this.#outcome = undefined
    void this.#follow(this.#owner.resumeCall(outcome.suspension, answers, this.options))
  }

  protected override release(): void {
    this.#outcome = undefined
    this.stateBytes = 0
  }

  protected override observe(event: RunEvent): void {
    super.observe(event)
    this.record.addEvent(event)
  }

  protected override caughtUp(): Promise<void> {
    return Promise.resolve()
  }

  async #follow(ended: Promise<ToolOutcome>): Promise<void> {
    const outcome = await ended
    const { record } = this
    if (outcome.status === 'suspended' && this.cancelling.signal.aborted) {
      record.setState('cancelled')
      return
    }
    this.stateBytes = outcome.status === 'suspended' ? bytesOf(outcome.suspension) : 0
    if (outcome.status !== 'suspended') {
      record.setState(statusOf(outcome))
      return
    }
    const { suspension } = outcome
    const { nested, elicitation, call } = suspension
    this.#outcome = outcome
    if (nested !== undefined && nested.pending.length > 0) {
      this.suspend(nested.pending.map(suspended))
    } else if (nested !== undefined) {
      // Uses the question from the event, because the question in the suspension can contain hidden values.
      this.suspend(this.shownCall(record.facts.agent, call)?.prompt ?? '')
    } else if (elicitation !== undefined) {
      const agent = record.facts.agent ?? ''
      const questions = Object.entries(elicitation.questions)
      this.suspend(
        questions.map(([id, question]) => ({
          ...{ id, call: call.toolCallId },
          pending: { ...suspension, id, agent, call, question, prompt: question.message },
        })),
      )
    } else {
      // Ends the call as `suspended`, because only a run can continue a call that waits for the application.
      record.setState('suspended')
    }
  }
}

function suspended(pending: PendingCall): Suspended {
  const { id, question } = pending
  // Removes the key of the question from the id: `CALL_ID/KEY`.
  return { id, pending, call: question === undefined ? id : id.slice(0, id.lastIndexOf('/')) }
}

/** The last message is the question if the run waits for an answer of the user. */
function lastText(messages: readonly ChatMessage[]): string {
  const content = messages.at(-1)?.content
  return typeof content === 'string' ? content : ''
}

function withReplaced(text: string | undefined, [hidden, shown]: readonly [string, string]): string | undefined {
  return text?.replaceAll(hidden, () => shown)
}
