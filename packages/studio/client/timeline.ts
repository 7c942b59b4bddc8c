import type { PublishedEvent } from '@toolgen/runtime/agents'
import type { ChatMessage, RunItem } from '@toolgen/runtime/chat'
import type { RunSummary, StudioPart, StudioStatus } from './api.js'

type EventOf<Type extends PublishedEvent['type']> = Extract<PublishedEvent, { readonly type: Type }>
type CallEnd = EventOf<'call_ended'>
export type Outcome = CallEnd['outcome']
type MessageItem = Extract<RunItem, { readonly kind: 'message' }>

interface NodeBase {
  readonly key: string
  /** Start and end in milliseconds since the Unix epoch. Absent if the times are unknown. */
  start?: number
  end?: number
  readonly children: TimelineNode[]
}

export interface StepNode extends NodeBase {
  readonly kind: 'step'
  readonly turn: number
  readonly agent?: string
  usage?: EventOf<'step_ended'>['usage']
}

export interface CallNode extends NodeBase {
  readonly kind: 'call'
  readonly id: string
  readonly tool: string
  readonly agent?: string
  readonly title: string
  readonly arguments: string
  readonly hint?: string
  readonly updates: string[]
  /** `true` if another call of the same step ran at the same time. */
  isParallel: boolean
  /** Status of the call. More exact than the status of the outcome, which is `failed` for denied and cancelled calls. */
  status: StudioStatus
  /** `true` if the call was suspended. The measured duration of such a call begins with the answer, not with the call. */
  isResumed: boolean
  ended?: CallEnd
  /** Text that the model reads as the result of the call. Absent until the conversation contains the text. */
  modelText?: string
}

export interface MessageNode extends NodeBase {
  readonly kind: 'message'
  readonly item: MessageItem
}

export interface NoteNode extends NodeBase {
  readonly kind: 'note'
  readonly event: EventOf<'guardrail' | 'handoff' | 'run_resumed' | 'run_ended'>
}

export type TimelineNode = StepNode | CallNode | MessageNode | NoteNode

/** Row of the displayed timeline. `depth` is the level in the tree: 0 for a step of the outermost run, and 1 for a call of this step. */
export interface TimelineRow {
  readonly node: TimelineNode
  readonly depth: number
}

export interface LiveResponse {
  readonly text: string
  readonly reasoning: string
  /** Calls of the response, with incomplete arguments. */
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly text: string }[]
}

interface RunPosition {
  readonly children: TimelineNode[]
  /** Id of the call that started the nested run. Absent for the outermost run. */
  readonly parent?: string
  step?: StepNode
}

/** Tree with the steps, calls and messages of a run. A nested run is a child of the call that started the nested run. */
export class Timeline {
  readonly roots: TimelineNode[] = []
  readonly parts: StudioPart[] = []
  /** Calls by run id and call id, because a nested run can repeat the call ids of the outermost run. */
  readonly #calls = new Map<string, CallNode>()
  #mainRun = ''
  summary?: RunSummary
  live?: LiveResponse
  removal?: string
  /** Times of the first and last event, in milliseconds since the Unix epoch. Absent before the first event. */
  start?: number
  end?: number
  /** Number of messages in the conversation of the run. */
  items = 0
  readonly #runs = new Map<string, RunPosition>()
  #main: RunPosition = { children: this.roots }

  add(part: StudioPart): void {
    if (part.kind === 'removed') {
      this.removal = part.reason
      this.live = undefined
      return
    }
    // Does not store deltas, because the conversation later contains their whole text.
    if (part.kind !== 'delta') this.parts.push(part)
    if (part.kind === 'event') this.#event(part.event)
    else if (part.kind === 'item') {
      this.items += 1
      if (part.item.kind === 'message' && part.item.role === 'assistant') this.live = undefined
      this.#item(part.item, this.#mainRun, this.#main)
    } else if (part.kind === 'nested_item') {
      const position = this.#runs.get(part.runId)
      if (position !== undefined) this.#item(part.item, part.runId, position)
    } else if (part.kind === 'state') {
      this.summary = part.summary
      // Removes the suffix that the id of a repeated question has.
      const waiting = new Set(part.summary.pending.map(({ id, tool }) => `${tool}:${id.split('#')[0]}`))
      for (const call of this.#calls.values()) {
        const { outcome } = call.ended ?? {}
        if (outcome === undefined) call.status = waiting.has(`${call.tool}:${call.id}`) ? 'waiting' : 'running'
        // The status of a suspended call depends on its run, which can continue or end.
        else if (outcome.status === 'suspended') call.status = suspendedStatus(part.summary.status)
      }
      if (part.summary.status !== 'running') this.live = undefined
    } else {
      const { text = '', reasoning = '', calls = [] } = this.live ?? {}
      const { delta } = part
      if (delta.type === 'arguments') {
        const { toolCallId: id, tool } = delta
        const known = calls.find((call) => call.id === id)
        const changed = { id, tool, text: (known?.text ?? '') + delta.text }
        this.live = { text, reasoning, calls: [...calls.filter((call) => call !== known), changed] }
      } else if (delta.type === 'text') this.live = { text: text + delta.text, reasoning, calls }
      else this.live = { text, reasoning: reasoning + delta.text, calls }
    }
  }

  /** Returns the call with this id in the outermost run. */
  callOf(id: string): CallNode | undefined {
    return this.#calls.get(keyOf(this.#mainRun, id))
  }

  rows(isOpen: (node: TimelineNode) => boolean = () => true): TimelineRow[] {
    const rows: TimelineRow[] = []
    const visit = (nodes: readonly TimelineNode[], depth: number): void => {
      for (const node of nodes) {
        rows.push({ node, depth })
        if (node.children.length > 0 && isOpen(node)) visit(node.children, depth + 1)
      }
    }
    visit(this.roots, 0)
    return rows
  }

  stepsOf(agent: string | undefined): readonly StepNode[] {
    return this.rows()
      .flatMap(({ node }) => (node.kind === 'step' && node.agent === agent ? [node] : []))
      .sort((one, other) => (one.start ?? 0) - (other.start ?? 0))
  }

  #event(event: PublishedEvent): void {
    this.start = Math.min(this.start ?? event.at, event.at)
    this.end = Math.max(this.end ?? event.at, event.at)
    const run = this.#positionOf(event)
    const key = `${event.runId ?? ''}:${this.parts.length}`
    const base = { key, start: event.at, children: [] as TimelineNode[] }
    const ofRun = (id: string): CallNode | undefined => this.#calls.get(keyOf(event.runId, id))
    const inStep = run.step?.children ?? run.children
    const ofAgent = event.agent === undefined ? {} : { agent: event.agent }
    switch (event.type) {
      case 'run_started':
        return
      case 'step_started':
        run.step = { ...base, kind: 'step', turn: event.turn, ...ofAgent }
        run.children.push(run.step)
        return
      case 'step_ended':
        if (run.step === undefined) return
        run.step.usage = event.usage
        run.step.end = event.at
        delete run.step
        if (run === this.#main) this.live = undefined
        return
      case 'call_started': {
        const { call, title, arguments: sent, hint } = event
        const known = ofRun(call.toolCallId)
        // Reuses the entry of a call that continues after a suspension.
        if (known?.ended?.outcome.status === 'suspended') {
          delete known.ended
          delete known.end
          known.status = 'running'
          known.isResumed = true
          return
        }
        // Calls of a code-mode program are children of the program's call.
        const program = call.parentToolCallId === run.parent ? undefined : ofRun(call.parentToolCallId ?? '')
        const siblings = program?.children ?? inStep
        const isParallel = siblings.some((node) => node.kind === 'call' && node.end === undefined)
        if (isParallel)
          for (const node of siblings) if (node.kind === 'call' && node.end === undefined) node.isParallel = true
        const node: CallNode = {
          ...{
            ...base,
            kind: 'call',
            id: call.toolCallId,
            tool: call.tool,
            title,
            arguments: sent,
            updates: [],
            status: 'running',
            isParallel,
            isResumed: false,
          },
          ...ofAgent,
          ...(hint !== undefined && { hint }),
        }
        this.#calls.set(keyOf(event.runId, call.toolCallId), node)
        siblings.push(node)
        return
      }
      case 'call_updated':
        ofRun(event.call.toolCallId)?.updates.push(event.update)
        return
      case 'call_ended': {
        const node = ofRun(event.call.toolCallId)
        if (node === undefined) return
        node.ended = event
        node.end = event.at
        node.status = endStatus(event.outcome)
        return
      }
      case 'run_ended':
        // Omits the note for a completed run, because the last message shows the completion.
        if (event.status !== 'completed') run.children.push({ ...base, kind: 'note', event, end: event.at })
        return
      case 'handoff':
        ofRun(event.call.toolCallId)?.children.push({ ...base, kind: 'note', event, end: event.at })
        return
      default:
        inStep.push({ ...base, kind: 'note', event, end: event.at })
    }
  }

  #positionOf({ runId, parentRunId, parentToolCallId }: PublishedEvent): RunPosition {
    if (runId === undefined) return this.#main
    const known = this.#runs.get(runId)
    if (known !== undefined) return known
    const parent = this.#calls.get(keyOf(parentRunId, parentToolCallId ?? ''))
    if (parent === undefined) this.#mainRun = runId
    const position = parent === undefined ? this.#main : { children: parent.children, parent: parent.id }
    this.#runs.set(runId, position)
    return position
  }

  #item(item: RunItem, runId: string, run: RunPosition): void {
    if (item.kind === 'tool_output') {
      const call = this.#calls.get(keyOf(runId, item.tool_call_id))
      if (call !== undefined) call.modelText = textOf(item.content)
      return
    }
    if (item.kind !== 'message') return
    const step = run.step ?? run.children.findLast((node): node is StepNode => node.kind === 'step')
    const siblings = item.role === 'assistant' && step !== undefined ? step.children : run.children
    const node: MessageNode = { kind: 'message', key: `item:${this.parts.length}`, item, children: [] }
    // Inserts the model's message before the calls of the step, because this message requested the calls.
    const first = item.role === 'assistant' ? siblings.findIndex(({ kind }) => kind === 'call') : -1
    if (first === -1 || siblings.some(({ kind }) => kind === 'message')) siblings.push(node)
    else siblings.splice(first, 0, node)
  }
}

function endStatus(outcome: Outcome): StudioStatus {
  if (outcome.status === 'suspended') return 'waiting'
  if (outcome.status !== 'failed') return outcome.status
  const { reason } = outcome.hint
  return reason === 'denied' || reason === 'cancelled' ? reason : 'failed'
}

function suspendedStatus(run: StudioStatus): StudioStatus {
  if (run === 'running' || run === 'waiting') return 'waiting'
  return run === 'suspended' ? 'suspended' : 'cancelled'
}

/** Returns `true` if the duration of a node includes the wait for an approver, in the call itself or in a call inside it. */
export function includesWait(node: TimelineNode): boolean {
  if (node.kind === 'call' && !node.isResumed) {
    const { approval, denial } = node.ended?.outcome.provenance ?? {}
    const decidedAt = denial?.at ?? (approval?.remembered === true ? undefined : approval?.at)
    if (decidedAt !== undefined && node.start !== undefined && decidedAt > node.start) return true
  }
  return node.children.some(includesWait)
}

interface ArgumentChange {
  readonly field: string
  /** Old value as JSON text. `undefined` if the approver added the argument. */
  readonly before: string | undefined
  /** New value as JSON text. `undefined` if the approver removed the argument. */
  readonly after: string | undefined
}

export function changedArguments({ arguments: sent, ended }: CallNode): readonly ArgumentChange[] {
  const edited = ended?.outcome.provenance.approval?.edited
  if (edited === undefined) return []
  const [before, after] = [sent, edited].map((json) => Object(parsedJson(json)) as Readonly<Record<string, unknown>>)
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .map((field) => ({ field, before: JSON.stringify(before?.[field]), after: JSON.stringify(after?.[field]) }))
    .filter((change) => change.before !== change.after)
}

function keyOf(runId: string | undefined, call: string): string {
  return `${runId ?? ''} ${call}`
}

/** Returns the number of messages up to the end of the step with the message `index`. The results of calls belong to the step. */
export function endOfStep(messages: readonly ChatMessage[], index: number): number {
  let end = index + 1
  while (messages[end]?.role === 'tool') end += 1
  return end
}

/** Returns the text of a message. An image or file becomes its type in brackets, such as `[image_url]`. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: string; text?: string; refusal?: string }) => part.text ?? part.refusal ?? `[${part.type}]`)
    .join('\n')
}

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
