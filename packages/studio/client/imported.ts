import type { ChatMessage } from '@toolgen/runtime/chat'
import { parsedJson } from './timeline.js'

/** Conversation from a file. On the page Replay, a person can change and continue the conversation. */
export interface Recorded {
  readonly name: string
  readonly agent?: string
  readonly messages: readonly ChatMessage[]
}

export function importedRun(name: string, text: string): Recorded {
  const [first = '', ...lines] = text.replace(/^\uFEFF/, '').split('\n')
  const { cassette } = fields(parsedJson(first))
  if (cassette === 1) return recordedRun(name, lines)
  if (cassette !== undefined) throw new Error(`${name} has version ${cassette} of cassettes. Update the studio.`)
  const { summary, messages } = fields(parsedJson(text))
  if (!isConversation(messages)) {
    const next = 'Use "Export" or "Download cassette" on the page of a run, or a file of `toolgen run --record`.'
    throw new Error(`${name} is neither an exported run nor a cassette. ${next}`)
  }
  const { agent } = fields(summary)
  return { name, messages, ...(typeof agent === 'string' && { agent }) }
}

export interface ModelLine {
  readonly asked: number
  readonly agent: string
  readonly request: { readonly messages: readonly ChatMessage[]; readonly tools: Readonly<Record<string, unknown>> }
  readonly answer?: { readonly message: ChatMessage }
}

interface ToolLine {
  readonly after?: number
  readonly tool: string
  readonly arguments: string
  readonly outcome: { readonly status: string; readonly json?: string; readonly hint?: { readonly message?: string } }
}

/**
 * Returns the conversation of the outermost run in a cassette: the messages of the last model request, the response to this request, and the results
 * of its calls.
 */
function recordedRun(name: string, lines: readonly string[]): Recorded {
  const exchanges = exchangesOf(name, lines)
  const models = requestsIn(exchanges)
  const [first] = models
  if (first === undefined) {
    const next = 'For an agent without a model, use "Export" on the page of the run.'
    throw new Error(`${name} has no request to a model, so it contains no conversation. ${next}`)
  }
  const last = models.findLast(({ agent }) => agent === first.agent) ?? first
  const { messages } = last.request
  const answer = last.answer?.message
  if (answer === undefined) return { name, agent: first.agent, messages }
  const tools = exchanges.filter(isToolLine).filter(({ after }) => after === last.asked)
  const responses = responsesTo(answer, last.request.tools, tools)
  // Omits the last response if a call has no recorded result, because such a conversation cannot continue.
  return {
    name,
    agent: first.agent,
    messages: responses === undefined ? messages : [...messages, answer, ...responses],
  }
}

export function recordedRequests(name: string, lines: readonly string[]): readonly ModelLine[] {
  return requestsIn(exchangesOf(name, lines))
}

function exchangesOf(name: string, lines: readonly string[]): readonly Fields[] {
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const exchange = fields(parsedJson(line))
    if (exchange.type === 'model' || exchange.type === 'tool') return [exchange]
    throw new Error(`${name}, line ${index + 2}: the line is not an exchange with a model or a tool.`)
  })
}

function requestsIn(exchanges: readonly Fields[]): readonly ModelLine[] {
  return exchanges.filter(isModelLine).sort((one, other) => one.asked - other.asked)
}

function responsesTo(
  answer: ChatMessage,
  offered: ModelLine['request']['tools'],
  recorded: ToolLine[],
): readonly ChatMessage[] | undefined {
  const responses: ChatMessage[] = []
  for (const call of answer.role === 'assistant' ? (answer.tool_calls ?? []) : []) {
    if (call.type !== 'function') return undefined
    const id = fields(offered[call.function.name]).tool
    const sent = JSON.stringify(parsedJson(call.function.arguments))
    const index = recorded.findIndex(
      ({ tool, arguments: json }) => tool === id && JSON.stringify(parsedJson(json)) === sent,
    )
    const [found] = index === -1 ? [] : recorded.splice(index, 1)
    const content = found?.outcome.json ?? found?.outcome.hint?.message
    if (content === undefined) return undefined
    responses.push({ role: 'tool', tool_call_id: call.id, content })
  }
  return responses
}

function isModelLine(exchange: Fields): exchange is Fields & ModelLine {
  const { type, asked, agent, request } = exchange
  const isRequest = isConversation(fields(request).messages) && typeof fields(request).tools === 'object'
  return type === 'model' && typeof asked === 'number' && typeof agent === 'string' && isRequest
}

function isToolLine(exchange: Fields): exchange is Fields & ToolLine {
  const { type, tool, arguments: sent, outcome } = exchange
  return type === 'tool' && typeof tool === 'string' && typeof sent === 'string' && typeof outcome === 'object'
}

function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.every((each) => typeof each?.role === 'string')
}

type Fields = Readonly<Record<string, unknown>>

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
