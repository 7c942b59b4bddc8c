import type {
  ChatCompletionChunk,
  ChatCompletionMessage,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions'
import type { ChatAssistantMessage, ChatMessage, ChatToolCall } from '../../packages/runtime/src/types/chat.js'
import type { ChatChunk, ChatReply } from '../../packages/runtime/src/types/chat-reply.js'

// Our message types are those of the package `openai`, field by field. Only `provider_data`, which no request contains, is an addition.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A type with all names spelled out, so that interfaces and literals compare; `readonly` is ours alone. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<T[Key]> }
    : T

/** A message without the field that requests to the API do not contain. */
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

// The comparison itself can fail.
export const unequal: Equal<Plain<ChatReply>, Plain<ChatCompletionMessageParam>> = false
export const lacking: Equal<Plain<Omit<ChatReply, 'annotations'>>, Plain<ChatCompletionMessage>> = false

// Messages go both ways without a conversion, in lists too.

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

// Each form of a message, as ours and as theirs.

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

// Fields that nobody declared travel.

const withReasoning = { role: 'assistant', content: 'Two.', reasoning_content: 'One and one.' } as const
export const extended: ChatMessage = withReasoning
export const extendedAsTheirs: ChatCompletionMessageParam = withReasoning

// What is none is none for both.

// @ts-expect-error: chat completions have no such role
export const model: ChatMessage = { role: 'model', content: 'hello' }
// @ts-expect-error: an answer names its call
export const unnamed: ChatMessage = { role: 'tool', content: 'It has shipped.' }
const image = [{ type: 'image_url' as const, image_url: { url: '' } }]
// @ts-expect-error: only users send images
export const painted: ChatMessage = { role: 'tool', tool_call_id: 'call_1', content: image }
// @ts-expect-error: arguments are text
export const parsed: ChatToolCall = { id: 'call_1', type: 'function', function: { name: 'get_order', arguments: {} } }
