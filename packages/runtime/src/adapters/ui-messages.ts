import { callerFailure, peek } from '../call/tool-failure.js'
import { isFields } from '../schema/json-values.js'
import type { ChatContentPart, ChatMessage, ChatToolCall } from '../types/chat.js'
import type { Answers, PendingAnswer, RunSuspension } from '../types/outcome.js'

/** Message of `useChat`, as a browser sends it. */
export interface ReceivedUIMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly { readonly type: string }[]
}

/**
 * Converts the messages of `useChat` (AI SDK) to the format of the messages that `run` accepts. Keeps texts, files, and tool calls with their
 * results. Omits calls without a result, files of the assistant, reasoning and data parts.
 *
 * The messages come from a browser. A user can therefore change all messages, including results of tools. To prevent such changes, store the
 * conversation on the server (see `conversation` of sessions), and accept only the last message from the browser.
 *
 * @throws {ToolFailure} `internal` if the value is not an array of such messages, or if a message has the role `system`. A system message would
 * replace the instructions of the agent. The error names the index of the message.
 *
 * @example
 * const { messages } = await request.json()
 * const run = support.run(convertToChatMessages(messages))
 */
export function convertToChatMessages(messages: readonly ReceivedUIMessage[]): readonly ChatMessage[] {
  const given: unknown = messages
  if (!Array.isArray(given)) throw callerFailure('`messages` must be an array of messages of `useChat`.')
  return given.flatMap((message: unknown, index) => {
    const [role, parts] = [peek(message, 'role'), peek(message, 'parts')]
    if (!Array.isArray(parts)) throw rejected(index, 'has no array `parts`')
    const known = parts.filter(isFields)
    if (role === 'system') throw rejected(index, "has the role 'system'. Write instructions in the agent instead")
    if (role === 'user') return [{ role, content: known.flatMap((part) => userPart(part, index)) }]
    if (role === 'assistant') return assistantMessages(known)
    throw rejected(index, "has another `role` than 'user' and 'assistant'")
  })
}

/**
 * Returns the user's answers to a suspended run, as contained in messages of `useChat`. The answers are the approval responses in the last
 * message. If the last message is a user message, its text is the answer. Returns `undefined` if the messages contain no answer.
 *
 * @example
 * const answers = suspension && approvalAnswers(suspension, messages)
 * const run = answers ? support.resume(suspension, answers) : support.run(convertToChatMessages(messages))
 */
export function approvalAnswers(
  suspension: RunSuspension,
  messages: readonly ReceivedUIMessage[],
): Answers | undefined {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  const parts: unknown = peek(last, 'parts')
  const known = Array.isArray(parts) ? parts.filter(isFields) : []
  const role = peek(last, 'role')
  if (role === 'user') {
    const text = textOf(known)
    const isQuestion = suspension.kind === 'clarification' && suspension.pending.length < 2
    return isQuestion && text !== '' ? text : undefined
  }
  if (role !== 'assistant') return undefined
  const lastStep = known.slice(known.findLastIndex(({ type }) => type === 'step-start') + 1)
  const responses = new Map(
    lastStep.flatMap(({ type, state, toolCallId, approval }) => {
      const [id, approved] = [peek(approval, 'id'), peek(approval, 'approved')]
      const isResponse = toolNameOf(type) !== undefined && state === 'approval-responded' && id === toolCallId
      if (!isResponse || typeof approved !== 'boolean') return []
      return [[id, approved ? 'approve' : denial(peek(approval, 'reason'))] as const]
    }),
  )
  // Calls of nested runs have ids of another form, because the ids that models give calls are unique only in one run.
  const answers = suspension.pending.flatMap(({ id, kind }): (readonly [string, PendingAnswer])[] => {
    const response = kind === 'approval' ? responses.get(id) : undefined
    return response === undefined ? [] : [[id, response]]
  })
  return answers.length === 0 ? undefined : Object.fromEntries(answers)
}

function denial(reason: unknown): PendingAnswer {
  return typeof reason === 'string' && reason !== '' ? { decision: 'deny', reason } : 'deny'
}

type Part = Readonly<Record<string, unknown>>

function rejected(index: number, problem: string): Error {
  return callerFailure(`Message ${index} of \`useChat\` ${problem}.`)
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('')
}

function userPart({ type, text, mediaType, url, filename }: Part, index: number): ChatContentPart[] {
  if (type === 'text' && typeof text === 'string') return [{ type, text }]
  if (type !== 'file') return []
  if (typeof url !== 'string' || typeof mediaType !== 'string')
    throw rejected(index, 'has a file without `url` or `mediaType`')
  const isImage = mediaType.startsWith('image/')
  // Servers of models read other addresses, such as `gs:`, with the rights of the application.
  const allowed = isImage ? /^(data|https?):/i : /^data:/i
  if (!allowed.test(url)) {
    const expected = isImage ? 'a data URL or web address' : 'a data URL'
    throw rejected(index, `has a file whose \`url\` is not ${expected}: ${mediaType}`)
  }
  if (isImage) return [{ type: 'image_url', image_url: { url } }]
  const named = typeof filename === 'string' ? { filename } : {}
  return [{ type: 'file', file: { file_data: url, ...named } }]
}

function assistantMessages(parts: readonly Part[]): readonly ChatMessage[] {
  const steps: Part[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps.flatMap((step): readonly ChatMessage[] => {
    const results = step.flatMap((part) => resultOf(part) ?? [])
    const text = textOf(step)
    if (text === '' && results.length === 0) return []
    const calls = results.map(({ call }) => call)
    return [
      { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls: calls }) },
      ...results.map(({ call, content }) => ({ role: 'tool' as const, tool_call_id: call.id, content })),
    ]
  })
}

function toolNameOf(type: unknown, toolName?: unknown): string | undefined {
  const name = type === 'dynamic-tool' ? (toolName ?? '') : /^tool-(.+)$/s.exec(String(type))?.[1]
  return typeof name === 'string' ? name : undefined
}

function resultOf(part: Part): { readonly call: ChatToolCall; readonly content: string } | undefined {
  const { toolCallId: id, input, preliminary } = part
  const name = toolNameOf(part.type, part.toolName)
  const content = preliminary === true ? undefined : resultText(part)
  if (name === undefined || typeof id !== 'string' || content === undefined) return undefined
  const json = typeof input === 'string' ? input : (JSON.stringify(input) ?? '{}')
  return { call: { id, type: 'function', function: { name, arguments: json } }, content }
}

function resultText({ state, output, errorText, approval }: Part): string | undefined {
  if (state === 'output-available') return JSON.stringify(output)
  if (state === 'output-error') return typeof errorText === 'string' ? errorText : 'The call failed.'
  if (state !== 'output-denied') return undefined
  const reason = peek(approval, 'reason')
  return typeof reason === 'string' ? `The user denied this call: ${reason}` : 'The user denied this call.'
}
