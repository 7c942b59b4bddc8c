import { byteLength, dataUrl, IMAGE_TYPES, mediaProblem } from '../call/content.js'
import type { ChatContentPart, ChatMessage, ChatUserMessage } from '../types/chat.js'
import type { ContentPart, MediaOptions } from '../types/content.js'

const AUDIO_FORMATS: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' }

/** Images and audio that messages can contain. A model may accept fewer. */
export const CHAT_MEDIA: MediaOptions = {
  types: [...IMAGE_TYPES, ...Object.keys(AUDIO_FORMATS)],
  maxBytes: Number.POSITIVE_INFINITY,
}

/** `name` of the messages that contain images and audio of tool results. Tool messages can contain only text. */
const NAME = 'tool_results'

const LEAD = 'Images and audio of tool results. This message is not from the user.'

/** Returns a message with a text, and with the images and audio of tool results that {@link CHAT_MEDIA} allows. */
export function resultContentMessage(text: string, content: readonly (string | ContentPart)[]): ChatUserMessage {
  return { role: 'user', name: NAME, content: [text, ...content].map(chatPart) }
}

/**
 * Returns a message with the images and audio of a step's results; otherwise `undefined`. The message follows the tool messages of
 * the step.
 *
 * @param results title and content parts of each result
 */
export function stepContentMessage(
  results: readonly { readonly title: string; readonly parts: readonly ContentPart[] }[],
): ChatUserMessage | undefined {
  const content = results.flatMap(({ title, parts }) => (parts.length === 0 ? [] : [title, ...parts]))
  return content.length === 0 ? undefined : Object.freeze(resultContentMessage(LEAD, content))
}

/** Returns `true` for a message of {@link stepContentMessage}. */
export function isToolResultContent(message: ChatMessage): boolean {
  return message.role === 'user' && message.name === NAME
}

/** Returns a text, image or audio as a part of a message. */
export function chatPart(part: string | ContentPart): ChatContentPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  const { type, mediaType, data } = part
  if (type === 'image') return { type: 'image_url', image_url: { url: dataUrl(part) } }
  return { type: 'input_audio', input_audio: { data, format: AUDIO_FORMATS[mediaType] ?? 'wav' } }
}

/** Replaces the images and audio of tool results that a model does not accept by texts. Does not change images and audio of users. */
export function withTakenMedia(messages: readonly ChatMessage[], media: MediaOptions | undefined): ChatMessage[] {
  return messages.map((message) => {
    if (message.role !== 'user' || message.name !== NAME || typeof message.content === 'string') return message
    // Some servers reject `name`.
    return { role: 'user', content: message.content.map((part) => takenPart(part, media)) }
  })
}

function takenPart(part: ChatContentPart, media: MediaOptions | undefined): ChatContentPart {
  const [mediaType, data] = fileOf(part)
  const problem = mediaType === undefined ? undefined : mediaProblem(mediaType, byteLength(data), media)
  return problem === undefined
    ? part
    : { type: 'text', text: `This ${part.type === 'image_url' ? 'image' : 'audio'} is not shown: ${problem}.` }
}

function fileOf(part: ChatContentPart): readonly [mediaType: string, data: string] | readonly [undefined] {
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio
    return [Object.keys(AUDIO_FORMATS).find((type) => AUDIO_FORMATS[type] === format) ?? format, data]
  }
  if (part.type !== 'image_url') return [undefined]
  const { url } = part.image_url
  const comma = url.indexOf(',')
  return url.startsWith('data:') ? [url.slice(5, comma).replace(';base64', ''), url.slice(comma + 1)] : [undefined]
}
