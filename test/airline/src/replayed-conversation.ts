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

/** What is recorded of one conversation between a model and a simulated customer. */
export interface RecordedConversation {
  readonly source: string
  readonly messages: readonly RecordedMessage[]
}

export type RecordedMessage = ChatSystemMessage | ChatUserMessage | ChatAssistantMessage | RecordedAnswer

/** A tool's answer has the name of the tool beside the fields of the standard. */
type RecordedAnswer = ChatToolMessage & { readonly name: string; readonly content: string }

/** The 100 conversations, with every field of every message. */
export function conversationMessages(dataFolder: string): readonly RecordedConversation[] {
  const lines = readFileSync(join(dataFolder, 'chat/tau_airline_trajectories.jsonl'), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** The message as the standard has it: `name` is no field of a tool's answer. */
export function standardMessage(message: RecordedMessage): ChatMessage {
  if (message.role !== 'tool') return message
  const { name: _, ...standard } = message
  return standard
}

/** A recording that plays the model and the tools, in step with each other. */
export class ReplayedConversation {
  /** What the model was given each time that it was asked. */
  readonly given: (readonly ChatMessage[])[] = []
  readonly #messages: readonly RecordedMessage[]
  #position = 0

  constructor(messages: readonly RecordedMessage[]) {
    this.#messages = messages
  }

  /** Says the recorded message that follows as many messages as it is given, byte for byte. */
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

  /** What was answered to the call that was said last: objects and lists are JSON in the recording, the others are text. */
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

/** One run of a conversation, with what the recording has in its place. */
export interface ReplayedRun {
  /** The index of the message of the user that began it. */
  readonly user: number
  readonly replies: readonly RecordedMessage[]
  readonly run: AgentRun
}

/**
 * One run from each message of the user to the next.
 *
 * @param goOnFrom what the next run begins with: the messages that the one before ended with, or the recorded ones
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
    // A recording that breaks off after a tool's answer has no last words: only a limit can end its run.
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

/** The calls that a message asks for. */
export function functionCalls({ tool_calls = [] }: ChatAssistantMessage): readonly ChatFunctionToolCall[] {
  return tool_calls.flatMap((call) => (call.type === 'function' ? [call] : []))
}
