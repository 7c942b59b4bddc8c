import type {
  ChatCompletionChunk,
  ChatCompletionMessage,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions'
import type { ChatAssistantMessage, ChatMessage, ChatToolCall } from '../../packages/runtime/src/types/chat.js'
import type { ChatChunk, ChatReply } from '../../packages/runtime/src/types/chat-reply.js'

// Our message types equal those of the package `openai`. Only `provider_data` is additional, and requests do not contain it.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Expands a type so that interfaces and literals compare as equal. Removes `readonly`, which only our types have. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<T[Key]> }
    : T

/** Returns the type of a message without the property that requests to the API do not contain. */
type Sent<Message> = Message extends unknown
  ? 'provider_data' extends keyof Message
    ? Omit<Message, 'provider_data'>
    : Message
  : never

type Of<Role extends string> = [
  Plain<Sent<Extract<ChatMessage, { readonly role: Role }>>>,
  Plain<Extract<ChatCompletionMessageParam, { role: Role }>>,
]

export const equal: {
  readonly system: Equal<Of<'system'>[0], Of<'system'>[1]>
  readonly developer: Equal<Of<'developer'>[0], Of<'developer'>[1]>
  readonly user: Equal<Of<'user'>[0], Of<'user'>[1]>
  readonly assistant: Equal<Of<'assistant'>[0], Of<'assistant'>[1]>
  readonly tool: Equal<Of<'tool'>[0], Of<'tool'>[1]>
  readonly function: Equal<Of<'function'>[0], Of<'function'>[1]>
  readonly message: Equal<Plain<Sent<ChatMessage>>, Plain<ChatCompletionMessageParam>>
  readonly roles: Equal<ChatMessage['role'], ChatCompletionMessageParam['role']>
  readonly call: Equal<Plain<ChatToolCall>, Plain<ChatCompletionMessageToolCall>>
  readonly reply: Equal<Plain<ChatReply>, Plain<ChatCompletionMessage>>
} = {
  system: true,
  developer: true,
  user: true,
  assistant: true,
  tool: true,
  function: true,
  message: true,
  roles: true,
  call: true,
  reply: true,
}

// Proves that the comparison can fail.
export const unequal: Equal<Plain<ChatReply>, Plain<ChatCompletionMessageParam>> = false
export const lacking: Equal<Plain<Omit<ChatReply, 'annotations'>>, Plain<ChatCompletionMessage>> = false

// Messages are assignable in both directions, also in arrays.

declare const ours: ChatMessage[]
declare const theirs: ChatCompletionMessageParam[]
declare const ourReply: ChatReply
declare const theirReply: ChatCompletionMessage
declare const theirChunk: ChatCompletionChunk

export const toTheirs: ChatCompletionMessageParam[] = [...ours, ourReply]
export const toOurs: ChatMessage[] = [...theirs, theirReply]
export const replyToTheirs: ChatCompletionMessage = ourReply
export const replyToOurs: ChatReply = theirReply
export const replyIsMessage: ChatAssistantMessage = theirReply
export const chunkToOurs: ChatChunk = theirChunk

// Each form of a message, with our type and with theirs.

const call = { id: 'call_1', type: 'function', function: { name: 'get_order', arguments: '{"order_id":' } } as const
const custom = { id: 'call_2', type: 'custom', custom: { name: 'run_code', input: 'print(1)' } } as const

const forms = [
  { role: 'system', content: 'Be short.', name: 'shop' },
  { role: 'developer', content: [{ type: 'text', text: 'Be short.' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ],
  },
  { role: 'assistant' },
  { role: 'assistant', content: null, tool_calls: [call, custom, call] },
  { role: 'assistant', content: '', refusal: null, audio: { id: 'audio_1' } },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }], refusal: 'No.' },
  { role: 'assistant', content: null, function_call: { name: 'get_order', arguments: '{}' } },
  { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'It has shipped.' }] },
  { role: 'function', name: 'get_order', content: null },
] satisfies ChatMessage[] & ChatCompletionMessageParam[]

export const formsAsOurs: ChatMessage[] = forms
export const formsAsTheirs: ChatCompletionMessageParam[] = forms

// Undeclared properties are allowed.

const withReasoning = { role: 'assistant', content: 'Two.', reasoning_content: 'One and one.' } as const
export const extended: ChatMessage = withReasoning
export const extendedAsTheirs: ChatCompletionMessageParam = withReasoning

// Both types reject invalid messages.

// @ts-expect-error: chat completions have no such role
export const model: ChatMessage = { role: 'model', content: 'hello' }
// @ts-expect-error: a tool message must have the id of its call
export const unnamed: ChatMessage = { role: 'tool', content: 'It has shipped.' }
const image = [{ type: 'image_url' as const, image_url: { url: '' } }]
// @ts-expect-error: only user messages can contain images
export const painted: ChatMessage = { role: 'tool', tool_call_id: 'call_1', content: image }
// @ts-expect-error: arguments must be text
export const parsed: ChatToolCall = { id: 'call_1', type: 'function', function: { name: 'get_order', arguments: {} } }
