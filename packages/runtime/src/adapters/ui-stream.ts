import { createUIMessageStreamResponse, type FinishReason, type UIMessageChunk } from 'ai'
import { type RunHandle, startOf } from '../agents/run-handle.js'
import { dataUrl, isFilePart } from '../call/content.js'
import { renderForModel } from '../call/render.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatAssistantMessage, ChatToolCall, ChatToolMessage } from '../types/chat.js'
import type { McpQuestion } from '../types/elicitation.js'
import type { JsonValue } from '../types/json.js'
import type { CallSuspension, CallSuspensionKind, PendingCall, StopReason, ToolOutcome } from '../types/outcome.js'
import type { ModelDelta } from '../types/planner.js'
import type { AgentRun, RunEvent, RunPart, RunStatus } from '../types/run.js'
import type { MetaField, ToolDescriptor } from '../types/tool.js'
import type { AnyDescriptor } from './framework-options.js'
import type { JsonForm } from './tool-output.js'

/** Data parts in the messages of {@link toUIMessageStream}. Use this type as a type argument: `UIMessage<unknown, RunUIData>`. */
export type RunUIData = {
  /** Latest update of a streaming tool. The id of the part is the id of the call, so that a new update replaces the previous update. */
  readonly update: {
    readonly toolCallId: string
    readonly tool: string
    readonly index: number
    readonly update: JsonValue
  }
  /** Call or question that needs an answer before the suspended run can continue. The id of this part is the key of the answer for `resume`. */
  readonly pending: {
    readonly kind: CallSuspensionKind
    readonly tool?: string
    /** Question for the approver or the user. Omitted if the run is suspended without a question. */
    readonly prompt?: string
    /** Arguments of the call, including changes by layers. Omitted if the run asks a question that does not belong to a call. */
    readonly arguments?: JsonValue
    /** Question of an MCP server: the schema of a form, or the URL of a page. Omitted for other kinds of suspensions. */
    readonly question?: McpQuestion
  }
  /** Data about the ended run. */
  readonly run: { readonly runId: string; readonly status: RunStatus; readonly stop: StopReason }
}

/**
 * Types of the tool parts in messages of `useChat`, for streams of {@link toUIMessageStream}. Pass the generated type of an agent's tools,
 * such as `SupportTools`, which maps tool names to descriptors. `input` contains the arguments as sent by the model. Only valid arguments
 * match the type of `input`.
 *
 * @example
 * type Message = UIMessage<unknown, RunUIData, UIToolsOf<SupportTools>>
 */
export type UIToolsOf<Tools extends Readonly<Record<string, AnyDescriptor>>> = {
  [Name in keyof Tools]: Tools[Name] extends ToolDescriptor<infer Arguments, unknown, infer Result, MetaField>
    ? { input: JsonForm<Arguments>; output: JsonForm<Result> }
    : never
}

/** Options for {@link toUIMessageStream} and {@link toUIMessageStreamResponse}. */
export interface UIMessageStreamOptions {
  /** Effect on the run when the browser closes the stream: `cancel` cancels the run, `detach` lets the run continue. Default: `cancel`. */
  readonly onDisconnect?: 'cancel' | 'detach'
  /**
   * Function that receives the ended run before the end of the stream, even after the browser closed the stream. Store `run.suspension` in
   * this function. The stream waits for the returned promise, so that the browser can answer only after the suspension is stored. If the
   * promise rejects, the stream ends with an error. Default: none.
   */
  readonly onEnd?: (run: AgentRun) => unknown
  /**
   * Function that returns the text for the user if the run has failed, or if `onEnd` has failed. The argument is `run.error`, or the value that
   * `onEnd` threw. Default: the message of the run's error.
   */
  readonly onError?: (error: unknown) => string
  /** If `false`, the stream omits the reasoning of the model. Default: `true`. */
  readonly sendReasoning?: boolean
  /** Id of the message that the browser creates from the stream. By default, the browser chooses an id, or continues the last assistant message. */
  readonly messageId?: string
}

type Chunk = UIMessageChunk<unknown, RunUIData>

/**
 * Converts a run to a stream of chunks for `useChat` of the AI SDK. The stream contains text and reasoning deltas of the model, tool calls
 * with their results or failures, and requests for approval. The stream also contains the data parts of {@link RunUIData}. The text of a
 * failed call is the text that the model receives.
 *
 * @example
 * const run = support.run(convertToChatMessages(messages), { sessionId: 's-1' })
 * const stream = toUIMessageStream(run, { onEnd: ({ suspension }) => store.set(chatId, suspension) })
 */
export function toUIMessageStream(run: RunHandle, options: UIMessageStreamOptions = {}): ReadableStream<Chunk> {
  const { onDisconnect = 'cancel', messageId } = options
  const parts = run.parts()
  const writer = new ChunkWriter(run, options)
  let ending: Promise<readonly Chunk[]> | undefined
  const end = (): Promise<readonly Chunk[]> => {
    ending ??= endChunks(run, options)
    return ending
  }
  return new ReadableStream<Chunk>({
    start: (controller) => controller.enqueue({ type: 'start', ...(messageId !== undefined && { messageId }) }),
    async pull(controller) {
      let chunks: readonly Chunk[] = []
      while (chunks.length === 0) {
        const next = await parts.next()
        if (next.done === true) {
          for (const chunk of await end()) controller.enqueue(chunk)
          return controller.close()
        }
        chunks = writer.chunksOf(next.value)
      }
      for (const chunk of chunks) controller.enqueue(chunk)
    },
    async cancel(reason) {
      await parts.return?.()
      void end()
      if (onDisconnect === 'cancel')
        run.cancel(reason ?? new DOMException('The browser closed the stream.', 'AbortError'))
    },
  })
}

/**
 * Returns the response of an HTTP route for `useChat` of the AI SDK. {@link toUIMessageStream} describes the contents of the response.
 *
 * @param options options of the stream, and `status`, `statusText` and `headers` of the response
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

const FINISH_REASONS: ReadonlyMap<StopReason, FinishReason> = new Map([
  ['answered', 'stop'],
  ['final', 'stop'],
  ['suspended', 'tool-calls'],
  ['failed', 'error'],
])

async function endChunks(handle: RunHandle, options: UIMessageStreamOptions): Promise<readonly Chunk[]> {
  const { onEnd, onError } = options
  const run = await handle
  const failed = (error: unknown, usual: string): Chunk => {
    try {
      return { type: 'error', errorText: onError?.(error) ?? usual }
    } catch {
      return { type: 'error', errorText: usual }
    }
  }
  try {
    await onEnd?.(run)
  } catch (error) {
    return [failed(error, 'The result of the run could not be stored.')]
  }
  const { runId, status, stop, suspension, error } = run
  const end: Chunk = { type: 'data-run', data: { runId, status, stop: stop.reason } }
  if (status === 'failed') return [end, failed(error, error?.message ?? 'The run failed.')]
  if (status === 'cancelled') return [end, { type: 'abort' }]
  const waiting = suspension === undefined ? [] : suspension.pending.map(pendingChunk)
  const asked: readonly Chunk[] =
    suspension?.kind === 'clarification' && waiting.length === 0
      ? [{ type: 'data-pending', data: { kind: 'clarification', prompt: suspension.question } }]
      : []
  return [...waiting, ...asked, end, { type: 'finish', finishReason: FINISH_REASONS.get(stop.reason) ?? 'other' }]
}

function pendingChunk({ id, kind, call, prompt, question, arguments: json }: PendingCall): Chunk {
  const data = {
    ...{ kind, tool: call.tool, arguments: jsonOrText(json) },
    ...(prompt !== undefined && { prompt }),
    ...(question !== undefined && { question }),
  }
  return { type: 'data-pending', id, data }
}

function jsonOrText(text: string): JsonValue {
  const parsed = parseJson(text)
  return parsed.ok ? (parsed.value as JsonValue) : text
}

interface AnnouncedCall {
  readonly id: string
  readonly toolName: string
  readonly json: string
}

class ChunkWriter {
  readonly #run: RunHandle
  readonly #sendReasoning: boolean
  #isResumed = false
  #isInStep = false
  #hasSteps = false
  #open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  #texts = 0
  #sent = { text: '', reasoning: '' }
  /** Calls in the model's latest message that have not started yet. */
  #waiting: AnnouncedCall[] = []
  /** Ids of calls whose arguments the stream already contains. */
  readonly #streamed = new Set<string>()
  /** Call id → tool name. `undefined` for a call of a step before the suspension of the run. */
  readonly #known = new Map<string, string | undefined>()
  readonly #ended = new Set<string>()

  constructor(run: RunHandle, { sendReasoning = true }: UIMessageStreamOptions) {
    this.#run = run
    this.#sendReasoning = sendReasoning
  }

  chunksOf(part: RunPart): readonly Chunk[] {
    switch (part.kind) {
      case 'event':
        return part.event.runId === this.#run.runId ? this.#event(part.event) : []
      case 'delta':
        return this.#inStep(this.#delta(part.delta))
      case 'nested_item':
        return []
      case 'item': {
        const { item } = part
        if (item.kind === 'tool_output') return this.#acknowledged(item)
        return item.kind === 'message' && item.role === 'assistant' ? this.#inStep(this.#message(item)) : []
      }
    }
  }

  #event(event: RunEvent): readonly Chunk[] {
    // Calls that a program of code mode makes have no part, because the model has not requested them.
    if ('call' in event && event.call.parentToolCallId !== undefined) return []
    switch (event.type) {
      case 'run_resumed':
        this.#isResumed = true
        return []
      case 'step_started':
        if (this.#isResumed) this.#addEarlierCalls()
        this.#isResumed = false
        return []
      case 'step_ended':
        return this.#endStep()
      case 'run_ended': {
        // Without a new step, `useChat` would send the answers of the resumed step again.
        const start = this.#hasSteps || event.status === 'suspended' ? [] : this.#inStep([])
        return [...start, ...this.#endStep()]
      }
      case 'call_started':
        return this.#started(event.call.toolCallId, event.arguments, event.title)
      case 'call_updated': {
        const { call, index, update } = event
        const { toolCallId, tool } = call
        return [{ type: 'data-update', id: toolCallId, data: { toolCallId, tool, index, update: jsonOrText(update) } }]
      }
      case 'call_ended':
        return this.#outcome(event.outcome, event.title)
      default:
        return []
    }
  }

  #addEarlierCalls(): void {
    const { state, step = { calls: [], outcomes: [] } } = startOf(this.#run)
    for (const { call, status } of [...state.outcomes, ...step.outcomes]) {
      this.#known.set(call.toolCallId, undefined)
      if (status !== 'suspended') this.#ended.add(call.toolCallId)
    }
    for (const { toolCallId, toolName } of step.calls) this.#known.set(toolCallId, toolName)
  }

  /**
   * Starts a step in the message of the browser, unless a step has started. A step starts with the response of the model: a resumed run first
   * continues the calls of its last step, and `useChat` only sends answers to the calls of the last step.
   */
  #inStep(chunks: readonly Chunk[]): readonly Chunk[] {
    if (this.#isInStep) return chunks
    this.#isInStep = true
    this.#hasSteps = true
    return [{ type: 'start-step' }, ...chunks]
  }

  #endStep(): readonly Chunk[] {
    const end = this.#end()
    if (!this.#isInStep) return end
    this.#isInStep = false
    return [...end, { type: 'finish-step' }]
  }

  #delta(delta: ModelDelta): readonly Chunk[] {
    if (delta.type !== 'arguments') {
      this.#sent[delta.type] += delta.text
      return this.#text(delta.type, delta.text)
    }
    const { toolCallId, tool: toolName, text } = delta
    const isNew = !this.#streamed.has(toolCallId)
    // The run gives a call another id if an earlier call has the same id.
    if (toolCallId === '' || (isNew && this.#known.has(toolCallId))) return []
    this.#streamed.add(toolCallId)
    this.#known.set(toolCallId, toolName)
    return [
      ...this.#end(),
      ...(isNew ? [{ type: 'tool-input-start' as const, toolCallId, toolName }] : []),
      ...(text === '' ? [] : [{ type: 'tool-input-delta' as const, toolCallId, inputTextDelta: text }]),
    ]
  }

  /** If the deltas in the stream differ from the text of the message, the chunks contain the whole text. */
  #message({ content, refusal, provider_data: kept, tool_calls: calls = [] }: ChatAssistantMessage): readonly Chunk[] {
    const texts = typeof content === 'string' ? [content] : (content ?? []).map(textOf)
    const text = [...texts, refusal ?? ''].join('')
    const chunks = [
      ...(this.#sent.reasoning === '' ? this.#text('reasoning', kept?.reasoning ?? '') : []),
      ...(this.#sent.text === text ? [] : [...this.#end(), ...this.#text('text', text)]),
      ...this.#end(),
    ]
    this.#waiting = calls.map(announcedCall)
    this.#sent = { text: '', reasoning: '' }
    this.#streamed.clear()
    return chunks
  }

  #started(toolCallId: string, json: string, title: string): readonly Chunk[] {
    const waiting = this.#waiting
    const call =
      waiting.find(({ id }) => id === toolCallId) ?? waiting.find((other) => other.json === json) ?? waiting[0]
    // A call without a message is a call of a suspended run that continues. The browser knows it.
    if (call === undefined) return []
    this.#waiting = waiting.filter((other) => other !== call)
    const { toolName, json: sent } = call
    this.#known.set(toolCallId, toolName)
    return [{ type: 'tool-input-available', toolCallId, toolName, input: jsonOrText(sent), title }]
  }

  #outcome(outcome: ToolOutcome, title: string): readonly Chunk[] {
    const { toolCallId } = outcome.call
    const rejected = this.#waiting.find(({ id }) => id === toolCallId)
    const start = rejected === undefined ? [] : this.#started(toolCallId, rejected.json, title)
    // The browser cannot add an output to a call that it does not know.
    if (!this.#known.has(toolCallId)) return []
    if (outcome.status === 'suspended') return [...start, ...this.#suspended(outcome.suspension)]
    this.#ended.add(toolCallId)
    if (outcome.status === 'failed') {
      return [...start, { type: 'tool-output-error', toolCallId, errorText: renderForModel(outcome) }]
    }
    const { json, content = [] } = outcome
    return [
      ...start,
      { type: 'tool-output-available', toolCallId, output: jsonOrText(json) },
      ...content.filter(isFilePart).map((part): Chunk => {
        return { type: 'file', mediaType: part.mediaType, url: dataUrl(part) }
      }),
    ]
  }

  #suspended({ kind, call: { toolCallId }, arguments: json, nested }: CallSuspension): readonly Chunk[] {
    // The calls of nested runs are data parts, because a tool part can have only one approval.
    if (kind !== 'approval' || nested !== undefined) {
      const output = { status: 'suspended', kind }
      return [{ type: 'tool-output-available', toolCallId, output, preliminary: true }]
    }
    const toolName = this.#known.get(toolCallId)
    const changed: readonly Chunk[] =
      toolName === undefined ? [] : [{ type: 'tool-input-available', toolCallId, toolName, input: jsonOrText(json) }]
    return [...changed, { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }]
  }

  /** A call that continues in a session gets this message before its result. But the stream may already contain the result. */
  #acknowledged({ tool_call_id: toolCallId, content }: ChatToolMessage): readonly Chunk[] {
    if (!this.#known.has(toolCallId) || this.#ended.has(toolCallId)) return []
    const text = typeof content === 'string' ? content : content.map(textOf).join('')
    return [{ type: 'tool-output-available', toolCallId, output: jsonOrText(text), preliminary: true }]
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

function announcedCall(call: ChatToolCall): AnnouncedCall {
  const { id } = call
  if (call.type === 'custom') return { id, toolName: call.custom.name, json: call.custom.input }
  return { id, toolName: call.function.name, json: call.function.arguments }
}

function textOf(part: { readonly type: string; readonly text?: string; readonly refusal?: string }): string {
  return part.text ?? part.refusal ?? ''
}
