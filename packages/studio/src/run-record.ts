import { renderForModel, type ToolOutcome } from '@toolgen/runtime'
import { type PublishedEvent, publishedEvent, type RunHandle, type RunPart } from '@toolgen/runtime/agents'
import { type ChatMessage, chatMessages } from '@toolgen/runtime/chat'
import type { PendingAnswer, PendingSummary, RunRecord, RunSummary, StudioPart, StudioStatus } from './api.js'
import type { RunCassette } from './run-cassette.js'

export type RunEvent = Extract<RunPart, { readonly kind: 'event' }>['event']

export interface RunFacts extends Pick<RunSummary, 'id' | 'kind' | 'agent' | 'tool' | 'title' | 'isOwn' | 'replayOf'> {
  readonly before: readonly ChatMessage[]
  readonly earlier: RunRecord['earlier']
}

export interface RecordLimits {
  readonly maxParts: number
  readonly maxBytes: number
}

/** JSON in UTF-8, because a string or an object would need more memory. */
interface StoredPart {
  readonly kind: StudioPart['kind']
  readonly json: Buffer
}

/** Approximate memory of a stored part in bytes, without its JSON. */
const PART_OVERHEAD = 200

const NOT_ENDED: readonly StudioStatus[] = ['running', 'waiting']

export class Listeners {
  readonly #listeners = new Set<() => void>()

  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  call(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Discards the oldest parts above the limits. Contains replacements such as `[redacted]` for values that event sinks must not read. */
export class Recording {
  readonly facts: RunFacts
  readonly #limits: RecordLimits
  readonly #startedAt = Date.now()
  readonly #stored: StoredPart[] = []
  #discarded = 0
  #status: StudioStatus = 'running'
  #durationMs: number | undefined
  #usage: RunSummary['usage'] = { promptTokens: 0, completionTokens: 0, toolCalls: 0, turns: 0 }
  #pending: readonly PendingAnswer[] = []
  readonly #calledTools = new Set<string>()
  #pendingBytes = 0
  #title: string
  /** Result of an ended call, as a model reads the result. */
  #text: Buffer | undefined
  #removal: string | undefined
  #isShortened = false
  cancelReason: string | undefined
  readonly #onChange: (record: Recording) => void
  readonly changes: Listeners = new Listeners()
  cassette: RunCassette | undefined
  #partBytes = 0
  readonly #fixedBytes: number

  constructor(facts: RunFacts, limits: RecordLimits, onChange: (record: Recording) => void) {
    this.facts = facts
    this.#title = facts.title
    this.#limits = limits
    this.#onChange = onChange
    this.#fixedBytes = bytesOf(facts.before)
  }

  get bytes(): number {
    const ofState = (this.#text?.length ?? 0) + this.#pendingBytes
    return this.#fixedBytes + this.#partBytes + ofState + (this.cassette?.bytes ?? 0)
  }

  get summary(): RunSummary {
    const { id, kind, agent, tool, isOwn, replayOf } = this.facts
    return {
      ...{ id, kind, isOwn, title: this.#title, status: this.#status, startedAt: this.#startedAt },
      ...(agent !== undefined && { agent }),
      ...(tool !== undefined && { tool }),
      ...(this.#durationMs !== undefined && { durationMs: this.#durationMs }),
      ...(this.#status === 'cancelled' && this.cancelReason !== undefined && { reason: this.cancelReason }),
      ...(replayOf !== undefined && { replayOf }),
      usage: this.#usage,
      pending: this.#pending.map(pendingSummary),
      calledTools: [...this.#calledTools],
    }
  }

  get isEnded(): boolean {
    return !NOT_ENDED.includes(this.#status)
  }

  get messages(): readonly ChatMessage[] {
    const items = this.#stored.flatMap(({ kind, json }) => {
      return kind === 'item' ? [(JSON.parse(json.toString()) as ItemPart).item] : []
    })
    return [...this.facts.before, ...chatMessages(items)]
  }

  *contents(): Generator<unknown> {
    // Is a generator, so that a search parses a part only if no earlier part contained the words.
    yield this.facts.before
    yield this.#pending
    if (this.#text !== undefined) yield this.#text.toString()
    for (const { kind, json } of this.#stored) {
      // The conversation later contains the texts of deltas.
      if (kind !== 'delta' && kind !== 'state') yield JSON.parse(json.toString())
    }
  }

  get parts(): readonly StudioPart[] {
    return this.#stored.map(({ json }) => JSON.parse(json.toString()) as StudioPart)
  }

  get record(): Omit<RunRecord, 'noCassette'> {
    return {
      summary: this.summary,
      pending: this.#pending,
      messages: this.messages,
      before: this.facts.before.length,
      earlier: this.facts.earlier,
      ...(this.#text !== undefined && { text: this.#text.toString() }),
      isShortened: this.#isShortened || this.#discarded > 0,
    }
  }

  get lastPart(): number {
    return this.#discarded + this.#stored.length
  }

  partAfter(after: number): { readonly number: number; readonly json: string } | undefined {
    const index = Math.max(after - this.#discarded, 0)
    const stored = this.#stored[index]
    return stored && { number: this.#discarded + index + 1, json: stored.json.toString() }
  }

  get removal(): string | undefined {
    return this.#removal
  }

  /** Also ends the open streams of the run, because open streams keep the parts in memory. */
  remove(reason: string): void {
    this.#removal = reason
    this.#discarded += this.#stored.length
    this.#stored.length = 0
    this.changes.call()
  }

  add(part: RunPart): void {
    if (part.kind === 'event') this.addEvent(part.event)
    else this.#store(part)
  }

  addEvent(received: RunEvent): void {
    const event = withoutIds(publishedEvent(received))
    this.#store({ kind: 'event', event })
    const { id, kind } = this.facts
    if (event.type === 'call_started' && !this.#calledTools.has(event.call.tool)) {
      this.#calledTools.add(event.call.tool)
      this.#onChange(this)
    }
    if (kind === 'run' && event.runId === id && event.type === 'step_ended') {
      const { usage } = event
      const before = this.#usage
      const cost = usage.cost === undefined ? before.cost : (before.cost ?? 0) + usage.cost
      this.#usage = {
        ...before,
        turns: before.turns + 1,
        toolCalls: before.toolCalls + usage.toolCalls,
        promptTokens: before.promptTokens + usage.promptTokens,
        completionTokens: before.completionTokens + usage.completionTokens,
        ...(cost !== undefined && { cost }),
      }
      this.#onChange(this)
    }
    if (kind !== 'call' || !('call' in event) || event.call?.toolCallId !== id) return
    if (event.type === 'call_started') {
      this.#title = shortened(event.arguments)
      this.#onChange(this)
    }
    if (event.type === 'call_ended') {
      const { promptTokens = 0, completionTokens = 0 } = event.telemetry
      this.#text = Buffer.from(this.#kept(renderForModel(event.outcome)))
      this.#usage = { promptTokens, completionTokens, toolCalls: 1, turns: 0 }
      this.#onChange(this)
    }
  }

  setUsage({ turns, toolCalls, ...tokens }: Awaited<RunHandle>['usage']): void {
    const { durationMs: _, ...usage } = tokens
    this.#usage = { ...usage, turns, toolCalls }
  }

  setState(status: StudioStatus, pending: readonly PendingAnswer[] = []): void {
    this.#status = status
    this.#pending = pending
    this.#pendingBytes = bytesOf(pending)
    if (this.isEnded) this.#durationMs = Date.now() - this.#startedAt
    this.#onChange(this)
    this.#store({ kind: 'state', summary: this.summary })
  }

  #kept(text: string, shorter: () => string = () => notStored(text)): string {
    if (Buffer.byteLength(text) <= this.#limits.maxBytes) return text
    this.#isShortened = true
    return shorter()
  }

  #store(part: StudioPart): void {
    if (this.#removal !== undefined) return
    const json = Buffer.from(this.#kept(JSON.stringify(part), () => JSON.stringify(part, withoutLongText)))
    this.#stored.push({ kind: part.kind, json })
    this.#partBytes += sizeOf(json)
    const { maxParts, maxBytes } = this.#limits
    let surplus = 0
    for (const { json: oldest } of this.#stored) {
      if (this.#stored.length - surplus <= maxParts && this.#partBytes <= maxBytes) break
      this.#partBytes -= sizeOf(oldest)
      surplus += 1
    }
    this.#stored.splice(0, surplus)
    this.#discarded += surplus
    this.changes.call()
  }
}

function pendingSummary({ id, kind, tool, agent }: PendingAnswer): PendingSummary {
  return { id, kind, ...(tool !== undefined && { tool }), ...(agent !== undefined && { agent }) }
}

const LONG_TEXT = 1_000

function withoutLongText(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > LONG_TEXT ? notStored(value) : value
}

function notStored(text: string): string {
  return `[${text.length} characters, which the studio does not store]`
}

function sizeOf(json: Buffer): number {
  return json.length + PART_OVERHEAD
}

type ItemPart = Extract<StudioPart, { readonly kind: 'item' }>

/** The session id and the turn id can be values of hidden fields. */
function withoutIds(event: PublishedEvent): PublishedEvent {
  if (event.sessionId === undefined && event.turnId === undefined) return event
  const { sessionId: _, turnId: __, ...others } = event
  return others as PublishedEvent
}

export function statusOf(
  outcome: Pick<ToolOutcome, 'status'> & { readonly error?: { readonly reason: string } },
): StudioStatus {
  const { status, error } = outcome
  return error?.reason === 'denied' || error?.reason === 'cancelled' ? error.reason : status
}

/** V8 stores one byte per character for Latin-1 strings, and two bytes per character for other strings. */
export function bytesOfText(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length
}

export function bytesOf(value: object): number {
  return bytesOfText(JSON.stringify(value))
}

const MAX_TITLE = 200

export function shortened(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1)}…`
}
