import { createUIMessageStreamResponse, type FinishReason, type UIMessageChunk } from 'ai'
import type { RunHandle } from '../agents/run-handle.js'
import { withData } from '../call/content.js'
import { renderForModel } from '../call/render.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatAssistantMessage, ChatToolCall } from '../types/chat.js'
import type { JsonValue } from '../types/json.js'
import type { CallSuspensionKind, PendingCall, StopReason, ToolOutcome } from '../types/outcome.js'
import type { ModelDelta } from '../types/planner.js'
import type { AgentRun, RunEvent, RunPart, RunStatus } from '../types/run.js'
import type { MetaField, ToolDescriptor } from '../types/tool.js'

/** Data parts in the messages of {@link toUIMessageStream}. Use it as type argument: `UIMessage<unknown, RunUIData>`. */
export type RunUIData = {
  /** Latest update of a streaming tool. The id of the part is the id of the call, so a new update replaces the part. */
  readonly update: {
    readonly toolCallId: string
    readonly tool: string
    readonly index: number
    readonly update: JsonValue
  }
  /** Call or question of a suspended run that needs an answer. The id of the part is the key of the answer for `resume`. */
  readonly pending: {
    readonly kind: CallSuspensionKind
    readonly tool?: string
    /** Question for the approver or the user. Absent if there is none. */
    readonly prompt?: string
    /** Arguments of the call. Absent if the run itself asks. */
    readonly arguments?: JsonValue
  }
  /** End of the run. */
  readonly run: { readonly runId: string; readonly status: RunStatus; readonly stop: StopReason }
}

/** JSON form of a typed value: dates, bigints and bytes are strings. */
type JsonForm<Value> = Value extends Date | bigint | Uint8Array
  ? string
  : Value extends object
    ? { -readonly [Key in keyof Value]: JsonForm<Value[Key]> }
    : Value

/**
 * Types of the tool parts in messages of `useChat`. The keys are the names with which a model calls the tools, the values their generated
 * descriptors. `input` contains what the model sent: it matches the type only if the call was valid.
 *
 * @example
 * type Message = UIMessage<unknown, RunUIData, UIToolsOf<{ orders_getOrder: typeof orders.getOrder }>>
 */
export type UIToolsOf<Tools extends Readonly<Record<string, AnyDescriptor>>> = {
  [Name in keyof Tools]: Tools[Name] extends ToolDescriptor<infer Arguments, unknown, infer Result, MetaField>
    ? { input: JsonForm<Arguments>; output: JsonForm<Result> }
    : never
}

// `any`: arguments and results of any type.
type AnyDescriptor = ToolDescriptor<any, unknown, any, MetaField>

/** Options for {@link toUIMessageStream} and {@link toUIMessageStreamResponse}. */
export interface UIMessageStreamOptions {
  /** Effect of a browser that closes the stream: `cancel` cancels the run, `detach` lets the run continue. Default: `cancel`. */
  readonly onDisconnect?: 'cancel' | 'detach'
  /**
   * Receives the ended run before the end of the stream. Store `run.suspension` here: the stream waits for the promise, so that the browser
   * can answer only after it is stored. If it rejects, the stream ends with an error. Default: none.
   */
  readonly onEnd?: (run: AgentRun) => unknown
  /** If `false`, the reasoning of the model is left out. Default: `true`. */
  readonly sendReasoning?: boolean
  /** Id of the message in the browser. Default: the browser creates an id, or continues its last message of the assistant. */
  readonly messageId?: string
}

type Chunk = UIMessageChunk<unknown, RunUIData>

/**
 * Converts a run to a stream of chunks for `useChat` of the AI SDK: text and reasoning while the model generates them, tool calls with
 * their results or failures, requests for approval, and the data parts of {@link RunUIData}. The text of a failed call is the text that the
 * model receives.
 *
 * @example
 * const run = support.run(convertToChatMessages(messages), { sessionId: 's-1' })
 * const stream = toUIMessageStream(run, { onEnd: ({ suspension }) => store.set(chatId, suspension) })
 */
export function toUIMessageStream(run: RunHandle, options: UIMessageStreamOptions = {}): ReadableStream<Chunk> {
  const { onDisconnect = 'cancel', messageId, onEnd } = options
  const parts = run.parts()
  const writer = new ChunkWriter(run.runId, options)
  return new ReadableStream<Chunk>({
    start: (controller) => controller.enqueue({ type: 'start', ...(messageId !== undefined && { messageId }) }),
    async pull(controller) {
      let chunks: readonly Chunk[] = []
      while (chunks.length === 0) {
        const next = await parts.next()
        if (next.done === true) {
          for (const chunk of await endChunks(run, onEnd)) controller.enqueue(chunk)
          return controller.close()
        }
        chunks = writer.chunksOf(next.value)
      }
      for (const chunk of chunks) controller.enqueue(chunk)
    },
    async cancel(reason) {
      await parts.return?.()
      if (onDisconnect === 'cancel')
        run.cancel(reason ?? new DOMException('The browser closed the stream.', 'AbortError'))
    },
  })
}

/**
 * Returns the response of a route to which `useChat` of the AI SDK sends messages. See {@link toUIMessageStream} for its contents.
 *
 * @param options also `status`, `statusText` and `headers` of the response
 *
 * @example
 * export async function POST(request: Request): Promise<Response> {
 *   const { messages } = await request.json()
 *   return toUIMessageStreamResponse(support.run(convertToChatMessages(messages)))
 * }
 */
export function toUIMessageStreamResponse(
  run: RunHandle,
  { status, statusText, headers, ...options }: UIMessageStreamOptions & ResponseInit = {},
): Response {
  return createUIMessageStreamResponse({
    stream: toUIMessageStream(run, options),
    ...(status !== undefined && { status }),
    ...(statusText !== undefined && { statusText }),
    ...(headers !== undefined && { headers }),
  })
}

/** Finish reasons of drivers → names in the AI SDK. */
const FINISH_REASONS: ReadonlyMap<StopReason, FinishReason> = new Map([
  ['answered', 'stop'],
  ['final', 'stop'],
  ['suspended', 'tool-calls'],
  ['failed', 'error'],
])

async function endChunks(handle: RunHandle, onEnd: UIMessageStreamOptions['onEnd']): Promise<readonly Chunk[]> {
  const run = await handle
  try {
    await onEnd?.(run)
  } catch {
    return [{ type: 'error', errorText: 'The result of the run could not be stored.' }]
  }
  const { runId, status, stop, suspension, error } = run
  const end: Chunk = { type: 'data-run', data: { runId, status, stop: stop.reason } }
  if (status === 'failed') return [end, { type: 'error', errorText: error?.message ?? 'The run failed.' }]
  if (status === 'cancelled') return [end, { type: 'abort' }]
  const waiting = suspension === undefined ? [] : suspension.pending.map(pendingChunk)
  const asked: readonly Chunk[] =
    suspension?.kind === 'clarification' && waiting.length === 0
      ? [{ type: 'data-pending', data: { kind: 'clarification', prompt: suspension.question } }]
      : []
  return [...waiting, ...asked, end, { type: 'finish', finishReason: FINISH_REASONS.get(stop.reason) ?? 'other' }]
}

function pendingChunk({ id, kind, call, prompt, arguments: json }: PendingCall): Chunk {
  const data = { kind, tool: call.tool, ...(prompt !== undefined && { prompt }), arguments: jsonOrText(json) }
  return { type: 'data-pending', id, data }
}

function jsonOrText(text: string): JsonValue {
  const parsed = parseJson(text)
  return parsed.ok ? (parsed.value as JsonValue) : text
}

/** Converts the parts of one run to chunks. */
class ChunkWriter {
  readonly #runId: string
  readonly #sendReasoning: boolean
  #isInStep = false
  /** Text that is currently sent. */
  #open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  #texts = 0
  /** Kinds of the deltas of the current response. */
  #streamed = new Set<ModelDelta['type']>()
  readonly #calls = new Set<string>()
  readonly #renamed: { readonly toolName: string; readonly input: JsonValue }[] = []

  constructor(runId: string, { sendReasoning = true }: UIMessageStreamOptions) {
    this.#runId = runId
    this.#sendReasoning = sendReasoning
  }

  chunksOf(part: RunPart): readonly Chunk[] {
    switch (part.kind) {
      case 'event':
        return part.event.runId === this.#runId ? this.#event(part.event) : []
      case 'delta':
        return this.#delta(part.delta)
      case 'item':
        return part.item.kind === 'message' && part.item.role === 'assistant' ? this.#message(part.item) : []
    }
  }

  #event(event: RunEvent): readonly Chunk[] {
    switch (event.type) {
      case 'step_started':
        this.#isInStep = true
        return [{ type: 'start-step' }]
      case 'step_ended':
      case 'run_ended': {
        const end = this.#end()
        if (!this.#isInStep) return end
        this.#isInStep = false
        return [...end, { type: 'finish-step' }]
      }
      case 'call_updated': {
        const { call, index, update } = event
        const { toolCallId, tool } = call
        return [{ type: 'data-update', id: toolCallId, data: { toolCallId, tool, index, update: jsonOrText(update) } }]
      }
      case 'call_started':
        return this.#started(event.call.toolCallId)
      case 'call_ended':
        return outcomeChunks(event.outcome)
      default:
        return []
    }
  }

  #delta(delta: ModelDelta): readonly Chunk[] {
    this.#streamed.add(delta.type)
    if (delta.type !== 'arguments') return this.#text(delta.type, delta.text)
    const { toolCallId, tool: toolName, text } = delta
    const isNew = !this.#calls.has(toolCallId)
    this.#calls.add(toolCallId)
    return [
      ...this.#end(),
      ...(isNew ? [{ type: 'tool-input-start' as const, toolCallId, toolName }] : []),
      ...(text === '' ? [] : [{ type: 'tool-input-delta' as const, toolCallId, inputTextDelta: text }]),
    ]
  }

  /** Completes the response of the model. Text and reasoning that were not streamed are sent as a whole. */
  #message(message: ChatAssistantMessage): readonly Chunk[] {
    const { content, refusal, provider_data: kept, tool_calls: calls = [] } = message
    const texts = typeof content === 'string' ? [content] : (content ?? []).map((part) => textOf(part))
    const text = [...texts, refusal ?? ''].join('')
    const chunks = [
      ...(this.#streamed.has('reasoning') ? [] : this.#text('reasoning', kept?.reasoning ?? '')),
      ...(this.#streamed.has('text') ? [] : this.#text('text', text)),
      ...this.#end(),
      ...this.#announced(calls),
    ]
    this.#streamed.clear()
    return chunks
  }

  #announced(calls: readonly ChatToolCall[]): readonly Chunk[] {
    const ids = new Set<string>()
    return calls.flatMap((call): readonly Chunk[] => {
      const [toolName, input] =
        call.type === 'custom'
          ? [call.custom.name, call.custom.input]
          : [call.function.name, jsonOrText(call.function.arguments)]
      const isRepeated = ids.has(call.id)
      ids.add(call.id)
      this.#calls.add(call.id)
      // The run gives a call another id if an earlier call has the same id.
      if (isRepeated) this.#renamed.push({ toolName, input })
      return isRepeated ? [] : [{ type: 'tool-input-available', toolCallId: call.id, toolName, input }]
    })
  }

  #started(toolCallId: string): readonly Chunk[] {
    const renamed = this.#calls.has(toolCallId) ? undefined : this.#renamed.shift()
    return renamed === undefined ? [] : [{ type: 'tool-input-available', toolCallId, ...renamed }]
  }

  #text(kind: 'text' | 'reasoning', text: string): readonly Chunk[] {
    if (text === '' || (kind === 'reasoning' && !this.#sendReasoning)) return []
    if (this.#open?.kind === kind) return [{ type: `${kind}-delta`, id: this.#open.id, delta: text }]
    const end = this.#end()
    this.#texts += 1
    const id = `${kind}-${this.#texts}`
    this.#open = { kind, id }
    return [...end, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta: text }]
  }

  #end(): readonly Chunk[] {
    if (this.#open === undefined) return []
    const { kind, id } = this.#open
    this.#open = undefined
    return [{ type: `${kind}-end`, id }]
  }
}

function textOf(part: { readonly type: string; readonly text?: string; readonly refusal?: string }): string {
  return part.text ?? part.refusal ?? ''
}

function outcomeChunks(outcome: ToolOutcome): readonly Chunk[] {
  const { toolCallId } = outcome.call
  if (outcome.status === 'completed') {
    const { json, content = [] } = outcome
    return [{ type: 'tool-output-available', toolCallId, output: jsonOrText(withData(json, content)) }]
  }
  if (outcome.status === 'suspended') {
    const { kind, nested } = outcome.suspension
    // The calls of nested runs are data parts, because a tool part can have only one approval.
    const isOwn = kind === 'approval' && nested === undefined
    return isOwn ? [{ type: 'tool-approval-request', approvalId: toolCallId, toolCallId }] : []
  }
  return [{ type: 'tool-output-error', toolCallId, errorText: renderForModel(outcome) }]
}
