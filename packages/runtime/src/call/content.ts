import { isFields } from '../schema/json-values.js'
import type { ContentPart, MediaOptions } from '../types/content.js'
import type { JsonText } from '../types/json.js'
import type { Acknowledgement, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import { renderForModel } from './render.js'

/** Media types that servers use instead of the registered ones, with the registered media type. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
}

/**
 * Minimum length of the data of a file. A shorter string could occur elsewhere in a result by chance, and no image or audio file is
 * shorter.
 */
const SHORTEST_DATA = 32

/**
 * Maximum length of a piece. A regular expression checks the data of a file in pieces, because it can overflow its stack on long strings.
 */
const PIECE = 65_536

/** Checks that a text is base64 with padding and without line breaks. */
export function isBase64(data: string): boolean {
  if (data.length % 4 !== 0) return false
  const end = data.length - padding(data)
  for (let at = 0; at < end; at += PIECE)
    if (!/^[A-Za-z0-9+/]*$/.test(data.slice(at, Math.min(at + PIECE, end)))) return false
  return true
}

const padding = (data: string): number => (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0)

/** Returns the content part for a file; `undefined` if the file is neither an image nor audio, or if `data` is not base64. */
export function contentPart(mediaType: string, data: string): ContentPart | undefined {
  if (contentProblem(mediaType, data) !== undefined) return undefined
  const plain = plainType(mediaType)
  const type = plain.startsWith('image/') ? 'image' : 'audio'
  return Object.freeze({ type, mediaType: ALIASES[plain] ?? plain, data })
}

const plainType = (mediaType: string): string => mediaType.replace(/;.*$/s, '').trim().toLowerCase()

/** Returns a sentence that says why a file cannot be a content part; `undefined` if it can be one. */
export function contentProblem(mediaType: string, data: string): string | undefined {
  if (!/^(image|audio)\/[\w.+-]+$/.test(plainType(mediaType)))
    return `The media type must be one of images or audio, for example 'image/png'.`
  if (/^data:/i.test(data)) return `\`data\` is a data URL. Pass only the base64 after the comma.`
  if (data.trimStart().startsWith('<')) return `\`data\` is XML, such as SVG text. Pass base64 or bytes.`
  if (!isBase64(data)) return '`data` is not base64. Pass base64 with padding and without line breaks, or bytes.'
  if (data.length < SHORTEST_DATA) return `\`data\` has ${byteLength(data)} bytes. A file has at least 24 bytes.`
  return undefined
}

/** Checks whether a value is a content part. */
export function isContentPart(value: unknown): value is ContentPart {
  if (!isFields(value)) return false
  const { type, mediaType, data } = value
  return (type === 'image' || type === 'audio') && typeof mediaType === 'string' && typeof data === 'string'
}

/** Returns the content parts in the property `content` of a value; otherwise `undefined`. */
export function contentOf(value: object): readonly ContentPart[] | undefined {
  const { content } = value as { readonly content?: unknown }
  const parts = Array.isArray(content) ? content.filter(isContentPart) : []
  return parts.length > 0 ? parts : undefined
}

/** Returns the content parts whose data occurs in a JSON text. */
export function partsIn(json: JsonText, parts: readonly ContentPart[]): readonly ContentPart[] {
  const found = new Set([...stringsIn(json, new Set(parts.map(({ data }) => data)))].map(({ text }) => text))
  return parts.filter(({ data }) => found.has(data))
}

/** Replaces the data of content parts in a JSON text by short texts. */
export function withoutData(json: JsonText, parts: readonly ContentPart[] = []): JsonText {
  const texts = parts.map((part, index) => [part.data, placeholder(part, index)] as const)
  // Of equal parts, the first counts.
  return replaceStrings(json, new Map(texts.reverse()))
}

/** Reverses {@link withoutData}: inserts the data of the content parts again. */
export function withData(json: JsonText, parts: readonly ContentPart[] = []): JsonText {
  return replaceStrings(json, new Map(parts.map((part, index) => [placeholder(part, index), part.data])))
}

/** Replaces the data of parts in a text that is not JSON by short texts. */
export function textWithoutData(text: string, parts: readonly ContentPart[]): string {
  return parts.reduce((shown, part) => shown.replaceAll(part.data, `[${factsOf(part)}]`), text)
}

function replaceStrings(json: JsonText, replacements: ReadonlyMap<string, string>): JsonText {
  const pieces: string[] = []
  let copied = 0
  for (const { text, start, end } of stringsIn(json, replacements)) {
    pieces.push(json.slice(copied, start), replacements.get(text) ?? text)
    copied = end
  }
  return copied === 0 ? json : pieces.join('') + json.slice(copied)
}

/** Yields each string in a JSON text that is also in `wanted`. Uses no regular expression, because long strings overflow its stack. */
function* stringsIn(
  json: JsonText,
  wanted: { has(text: string): boolean; keys(): Iterable<string> },
): Generator<{ readonly text: string; readonly start: number; readonly end: number }> {
  const lengths = new Set(Array.from(wanted.keys(), ({ length }) => length))
  if (lengths.size === 0) return
  for (let quote = json.indexOf('"'); quote !== -1; ) {
    const start = quote + 1
    let end = json.indexOf('"', start)
    while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
    if (end === -1) return
    if (lengths.has(end - start) && json[end + 1] !== ':') {
      const text = json.slice(start, end)
      if (wanted.has(text)) yield { text, start, end }
    }
    quote = json.indexOf('"', end + 1)
  }
}

function isEscaped(json: JsonText, index: number): boolean {
  let first = index
  while (json[first - 1] === '\\') first -= 1
  return (index - first) % 2 === 1
}

function placeholder(part: ContentPart, index: number): string {
  return `[${part.type} ${index + 1}: ${factsOf(part)}]`
}

function factsOf({ mediaType, data }: ContentPart): string {
  return `${mediaType}, ${sizeText(byteLength(data))}`
}

/** Returns the number of bytes that base64 represents. */
export function byteLength(data: string): number {
  return Math.floor(((data.length - padding(data)) * 3) / 4)
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Number((bytes / 1_000_000).toFixed(2))} MB`
}

/** Media types that most vision models accept. Gemini does not accept GIF. */
export const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const MAX_BYTES = 3_750_000

/**
 * Returns the reason why a model does not accept a file, for example `the model does not accept image/tiff`. Returns `undefined` if the model
 * accepts it.
 *
 * @param bytes size of the file
 */
export function mediaProblem(
  mediaType: string,
  bytes: number,
  { types = IMAGE_TYPES, maxBytes = MAX_BYTES }: MediaOptions = {},
): string | undefined {
  if (!types.includes(mediaType)) return `the model does not accept ${mediaType}`
  return bytes > maxBytes ? `it is larger than ${sizeText(maxBytes)}` : undefined
}

/**
 * Validates media options and returns them.
 *
 * @param name name of the function or tool list for error messages
 * @throws {TypeError} if the options are invalid
 */
export function requireMedia(name: string, media: MediaOptions | undefined): MediaOptions | undefined {
  const { types = [], maxBytes = 0 } = media ?? {}
  if (!Array.isArray(types) || types.some((type) => typeof type !== 'string')) {
    throw new TypeError(`${name}: \`media.types\` must be an array of media types, for example ['image/png'].`)
  }
  if (typeof maxBytes === 'number' && maxBytes >= 0) return media
  throw new TypeError(`${name}: \`media.maxBytes\` is ${String(maxBytes)}; use a number of bytes.`)
}

interface ModelContent {
  readonly text: string
  readonly parts: readonly ContentPart[]
}

/** Returns the text of a response and the content parts that the model accepts. The text mentions the other parts. */
export function contentForModel(
  response: ToolOutcome | StoredOutcome | Acknowledgement,
  media?: MediaOptions,
): ModelContent {
  const text = renderForModel(response)
  if (response.status !== 'completed' || response.content === undefined) return { text, parts: [] }
  return shownContent(text, response.content, media)
}

/** Returns `text` and the content parts that the model accepts. Adds a note about each other part to the text. */
export function shownContent(text: string, content: readonly ContentPart[], media?: MediaOptions): ModelContent {
  const notes: string[] = []
  const parts = content.filter(({ type, mediaType, data }, index) => {
    const problem = mediaProblem(mediaType, byteLength(data), media)
    if (problem !== undefined) notes.push(`The ${type} ${index + 1} is not shown: ${problem}.`)
    return problem === undefined
  })
  return { text: [text, ...notes].join('\n'), parts }
}

/** Returns the `data:` URL of a content part. */
export function dataUrl({ mediaType, data }: ContentPart): string {
  return `data:${mediaType};base64,${data}`
}
