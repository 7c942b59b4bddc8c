import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type BoundAgent, runConfig } from '@toolgen/runtime'
import type { AgentRun, ModelDriver } from '@toolgen/runtime/agents'
import type {
  ChatAssistantMessage,
  ChatFunctionToolCall,
  ChatMessage,
  ChatSystemMessage,
  ChatToolMessage,
  ChatUserMessage,
} from '@toolgen/runtime/chat'

/** Recorded conversation between a model and a simulated customer. */
export interface RecordedConversation {
  readonly source: string
  readonly messages: readonly RecordedMessage[]
}

export type RecordedMessage = ChatSystemMessage | ChatUserMessage | ChatAssistantMessage | RecordedAnswer

/** Recorded tool message, with the name of the tool in addition to the standard fields. */
type RecordedAnswer = ChatToolMessage & { readonly name: string; readonly content: string }

/** Returns the 100 conversations, with all fields of each message. */
export function conversationMessages(dataFolder: string): readonly RecordedConversation[] {
  const lines = readFileSync(join(dataFolder, 'chat/tau_airline_trajectories.jsonl'), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** Returns a message with only the standard fields: tool messages have no `name`. */
export function standardMessage(message: RecordedMessage): ChatMessage {
  if (message.role !== 'tool') return message
  const { name: _, ...standard } = message
  return standard
}

/** Replays the model and the tools of a recording. */
export class ReplayedConversation {
  /** Messages of each request to the model. */
  readonly given: (readonly ChatMessage[])[] = []
  readonly #messages: readonly RecordedMessage[]
  #position = 0

  constructor(messages: readonly RecordedMessage[]) {
    this.#messages = messages
  }

  /** Returns the recorded message at the position after the messages of the request. */
  readonly driver: ModelDriver = {
    name: 'recorded',
    ask: async ({ messages }) => {
      this.given.push(messages)
      this.#position = messages.length
      const message = this.#messages[this.#position]
      if (message?.role !== 'assistant') throw new Error(`the model said nothing at ${this.#position}`)
      const calls = functionCalls(message).map(({ id, function: asked }) => ({
        tool: asked.name,
        arguments: asked.arguments,
        toolCallId: id,
      }))
      return { message, calls, finishReason: calls.length > 0 ? 'tool_calls' : 'stop' }
    },
  }

  /** Returns the recorded result of the last call. Objects and arrays are JSON in the recording; other results are text. */
  answer(tool: string, args: unknown): unknown {
    const said = this.#messages[this.#position]
    const answered = this.#messages[this.#position + 1]
    const asked = said?.role === 'assistant' ? functionCalls(said)[0]?.function : undefined
    if (asked?.name !== tool || answered?.role !== 'tool' || answered.name !== tool) {
      throw new Error(`'${tool}' was not called at ${this.#position}`)
    }
    if (!isDeepStrictEqual(args, JSON.parse(asked.arguments))) throw new Error(`other arguments at ${this.#position}`)
    return /^[[{]/.test(answered.content) ? JSON.parse(answered.content) : answered.content
  }
}

/** One run of a conversation, with the recorded messages of this run. */
export interface ReplayedRun {
  /** Index of the user message that started the run. */
  readonly user: number
  readonly replies: readonly RecordedMessage[]
  readonly run: AgentRun
}

/**
 * Makes one run for each user message.
 *
 * @param goOnFrom first messages of each run: those of the previous run, or the recorded ones
 */
export async function replay(
  agent: BoundAgent,
  recorded: readonly RecordedMessage[],
  goOnFrom: 'own' | 'recorded' = 'own',
): Promise<{ readonly list: readonly ChatMessage[]; readonly runs: readonly ReplayedRun[] }> {
  const runs: ReplayedRun[] = []
  let list: readonly ChatMessage[] = []
  for (const [index, message] of recorded.entries()) {
    if (message.role === 'system' || message.role === 'user') list = [...list, message]
    if (message.role !== 'user') continue
    const replies = repliesAfter(index, recorded)
    if (replies.length === 0) continue
    // A recording that ends after a tool message has no final answer, so only a limit can end its run.
    const isCut = replies.at(-1)?.role === 'tool'
    const config = isCut ? runConfig().policy({ maxTurns: replies.length / 2 }) : runConfig()
    const begin = goOnFrom === 'own' ? list : recorded.slice(0, index + 1)
    const run = await agent.run(begin, { config })
    runs.push({ user: index, replies, run })
    list = run.messages
  }
  return { list, runs }
}

function repliesAfter(index: number, recorded: readonly RecordedMessage[]): readonly RecordedMessage[] {
  const next = recorded.findIndex(({ role }, place) => place > index && role === 'user')
  return recorded.slice(index + 1, next === -1 ? undefined : next)
}

/** Returns the function calls of a message. */
export function functionCalls({ tool_calls = [] }: ChatAssistantMessage): readonly ChatFunctionToolCall[] {
  return tool_calls.flatMap((call) => (call.type === 'function' ? [call] : []))
}
