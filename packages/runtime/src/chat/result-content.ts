import { byteLength, dataUrl, type FilePart, fileName, IMAGE_TYPES, mediaProblem, sizeText } from '../call/content.js'
import type { ChatContentPart, ChatMessage, ChatUserMessage } from '../types/chat.js'
import type { MediaOptions } from '../types/content.js'

const AUDIO_FORMATS: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' }

export const CHAT_MEDIA: MediaOptions = {
  types: [...IMAGE_TYPES, ...Object.keys(AUDIO_FORMATS), 'application/*', 'text/*', 'video/*'],
  maxBytes: Number.POSITIVE_INFINITY,
}

/** User messages with this `name` contain files of tool results, because tool messages cannot contain files. */
const NAME = 'tool_results'

const LEAD = 'Files of tool results. This message is not from the user.'

export function resultContentMessage(text: string, content: readonly (string | FilePart)[]): ChatUserMessage {
  return { role: 'user', name: NAME, content: [text, ...content].map(chatPart) }
}

/** The message must follow the tool messages of the step. */
export function stepContentMessage(
  results: readonly { readonly title: string; readonly parts: readonly FilePart[] }[],
): ChatUserMessage | undefined {
  const content = results.flatMap(({ title, parts }) => (parts.length === 0 ? [] : [title, ...parts]))
  return content.length === 0 ? undefined : Object.freeze(resultContentMessage(LEAD, content))
}

export function isToolResultContent(message: ChatMessage): boolean {
  return message.role === 'user' && message.name === NAME
}

export function chatPart(part: string | FilePart): ChatContentPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  const { type, mediaType, data } = part
  if (type === 'image') return { type: 'image_url', image_url: { url: dataUrl(part) } }
  if (type === 'file') return { type: 'file', file: { filename: fileName(part), file_data: dataUrl(part) } }
  return { type: 'input_audio', input_audio: { data, format: AUDIO_FORMATS[mediaType] ?? 'wav' } }
}

export function withTakenMedia(message: ChatMessage, media: MediaOptions | undefined): ChatMessage {
  if (message.role !== 'user' || message.name !== NAME || typeof message.content === 'string') return message
  // Some servers reject `name`.
  return { role: 'user', content: message.content.map((part) => takenPart(part, media)) }
}

function takenPart(part: ChatContentPart, media: MediaOptions | undefined): ChatContentPart {
  const file = fileOf(part)
  if (file === undefined) return part
  const { shown, mediaType, data } = file
  const problem = mediaProblem(mediaType, byteLength(data), media)
  return problem === undefined ? part : { type: 'text', text: `${shown} is not shown: ${problem}.` }
}

interface MessageFile {
  /** File name that the model reads. */
  readonly shown: string
  readonly mediaType: string
  readonly data: string
}

function fileOf(part: ChatContentPart): MessageFile | undefined {
  switch (part.type) {
    case 'text':
      return undefined
    case 'input_audio': {
      const { data, format } = part.input_audio
      const mediaType = Object.keys(AUDIO_FORMATS).find((type) => AUDIO_FORMATS[type] === format) ?? format
      return { shown: 'This audio', mediaType, data }
    }
    case 'image_url':
      return dataOf(part.image_url.url, () => 'This image')
    case 'file': {
      const { file_data: url = '', filename } = part.file
      return dataOf(url, (data) => `The file ${filename} (${sizeText(byteLength(data))})`)
    }
  }
}

function dataOf(url: string, shown: (data: string) => string): MessageFile | undefined {
  if (!url.startsWith('data:')) return undefined
  const comma = url.indexOf(',')
  const data = url.slice(comma + 1)
  return { shown: shown(data), mediaType: url.slice(5, comma).replace(';base64', ''), data }
}
