import { isFields } from '../schema/json-values.js'
import { bytesText } from '../schema/typed-values.js'
import type { ContentPart, MediaOptions } from '../types/content.js'
import type { JsonObject, JsonText } from '../types/json.js'
import type { Acknowledgement, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import { renderForModel } from './render.js'
import { shorten } from './value-text.js'

export type FilePart = Extract<ContentPart, { readonly data: string }>

/**
 * Content part that an application creates. The data of a file can be bytes or base64. The runtime adds the omitted properties of {@link
 * ContentPart}, for example `type`.
 */
export type ContentInput =
  | {
      readonly mediaType: string
      readonly data: string | Uint8Array
      readonly uri?: string
      readonly annotations?: JsonObject
    }
  | Extract<ContentPart, { readonly type: 'text' | 'resource_link' }>

/** Unregistered media type that some servers use → registered media type. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
}

/** Shorter base64 data stay in a result, because a shorter string could occur in the result by chance. Images and audio files are always longer. */
const SHORTEST_DATA = 32

/** A regular expression checks base64 data in pieces of this length, because the expression can overflow its stack on long strings. */
const PIECE = 65_536

export function isBase64(data: string): boolean {
  if (data.length % 4 !== 0) return false
  const end = data.length - padding(data)
  for (let at = 0; at < end; at += PIECE)
    if (!/^[A-Za-z0-9+/]*$/.test(data.slice(at, Math.min(at + PIECE, end)))) return false
  return true
}

const padding = (data: string): number => (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0)

export function mediaPart(mediaType: string, data: string): FilePart | undefined {
  return data.length < SHORTEST_DATA || kindOf(mediaType) === 'file' ? undefined : filePart(mediaType, data)
}

export function filePart(mediaType: string, data: string, resource: Partial<ResourceInput> = {}): FilePart | undefined {
  if (contentProblem(mediaType, data) !== undefined) return undefined
  const plain = plainType(mediaType)
  return Object.freeze({ type: kindOf(plain), mediaType: ALIASES[plain] ?? plain, data, ...resource })
}

interface ResourceInput {
  readonly uri: string
  readonly annotations?: JsonObject
}

export function createPart(input: ContentInput): ContentPart | string {
  const { uri, annotations }: Partial<ResourceInput> = input
  const about = annotations === undefined ? {} : { annotations }
  if ('data' in input) {
    const data = typeof input.data === 'string' ? input.data : bytesText(input.data)
    const problem = contentProblem(input.mediaType, data)
    if (problem !== undefined) return problem
    if (data.length < SHORTEST_DATA && uri === undefined)
      return `\`data\` has ${byteLength(data)} bytes. A file has at least 24 bytes.`
    return filePart(input.mediaType, data, uri === undefined ? about : { uri, ...about }) ?? ''
  }
  const { inResult, ...part } = input
  if (isContentPart(part)) return Object.freeze(part)
  return 'Pass a file as `mediaType` and `data`, a text as `uri` and `text`, or a link as `uri` and `name`.'
}

const plainType = (mediaType: string): string => mediaType.replace(/;.*$/s, '').trim().toLowerCase()

function kindOf(mediaType: string): FilePart['type'] {
  const [, kind] = /^(image|audio)\//.exec(plainType(mediaType)) ?? []
  return kind === 'image' || kind === 'audio' ? kind : 'file'
}

function contentProblem(mediaType: string, data: string): string | undefined {
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(plainType(mediaType)))
    return `The media type is malformed. Pass one such as 'image/png' or 'application/pdf'.`
  if (/^data:/i.test(data)) return `\`data\` is a data URL. Pass only the base64 after the comma.`
  if (data.trimStart().startsWith('<')) return `\`data\` is XML, such as SVG text. Pass base64 or bytes.`
  if (!isBase64(data)) return '`data` is not base64. Pass base64 with padding and without line breaks, or bytes.'
  return undefined
}

export function isContentPart(value: unknown): value is ContentPart {
  if (!isFields(value)) return false
  const { type, mediaType, data, uri, text, name } = value
  if (type === 'text') return typeof uri === 'string' && typeof text === 'string'
  if (type === 'resource_link') return typeof uri === 'string' && typeof name === 'string'
  const isFile = type === 'image' || type === 'audio' || type === 'file'
  return isFile && typeof mediaType === 'string' && typeof data === 'string'
}

export function isFilePart(part: ContentPart): part is FilePart {
  return part.type !== 'text' && part.type !== 'resource_link'
}

export function contentOf(value: object): readonly ContentPart[] | undefined {
  const { content } = value as { readonly content?: unknown }
  const parts = Array.isArray(content) ? content.filter(isContentPart) : []
  return parts.length > 0 ? parts : undefined
}

export function partsIn(json: JsonText, parts: readonly ContentPart[]): readonly ContentPart[] {
  const strings = new Map(parts.map((part) => [part, stringsOf(part)]))
  const wanted = new Set([...strings.values()].flat())
  const found = new Set([...stringsIn(json, wanted)].map(({ text }) => text))
  return parts.filter((part) => strings.get(part)?.every((text) => found.has(text)))
}

function stringsOf(part: ContentPart): readonly string[] {
  if (isFilePart(part)) return [part.data]
  const texts = part.type === 'text' ? [part.text] : [part.uri, part.name, part.title, part.description]
  return texts.flatMap((text) => (text === undefined ? [] : JSON.stringify(text).slice(1, -1)))
}

export function withInResult(json: JsonText, parts: readonly ContentPart[]): readonly ContentPart[] {
  const resources = parts.filter(({ uri }) => uri !== undefined)
  if (resources.length === 0) return parts
  const found = new Set(partsIn(json, resources))
  return parts.map((part) => (found.has(part) ? Object.freeze({ ...part, inResult: true as const }) : part))
}

export function withoutData(json: JsonText, parts: readonly ContentPart[] = []): JsonText {
  if (parts.length === 0) return json
  const texts = placeholders(parts).map(({ part, text }) => [part.data, text] as const)
  // Of equal parts, the first counts.
  return replaceStrings(json, new Map(texts.reverse()))
}

export function withData(json: JsonText, parts: readonly ContentPart[] = []): JsonText {
  return replaceStrings(json, new Map(placeholders(parts).map(({ part, text }) => [text, part.data])))
}

function placeholders(parts: readonly ContentPart[]): { readonly part: FilePart; readonly text: string }[] {
  return parts.flatMap((part, index) =>
    isFilePart(part) && part.data.length >= SHORTEST_DATA ? [{ part, text: placeholder(part, index) }] : [],
  )
}

export function textWithoutData(text: string, parts: readonly ContentPart[]): string {
  return placeholders(parts).reduce((shown, { part }) => shown.replaceAll(part.data, `[${factsOf(part)}]`), text)
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

/** Uses no regular expression, because long strings overflow the stack of regular expressions. */
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

function placeholder(part: FilePart, index: number): string {
  return `[${part.type} ${index + 1}: ${factsOf(part)}]`
}

function factsOf({ mediaType, data }: FilePart): string {
  return `${mediaType}, ${sizeText(byteLength(data))}`
}

export function byteLength(data: string): number {
  return Math.floor(((data.length - padding(data)) * 3) / 4)
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Number((bytes / 1_000_000).toFixed(2))} MB`
}

/** Media types that most vision models accept. Gemini does not accept GIF. */
export const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const MAX_BYTES = 3_750_000

const MAX_RESOURCES = 20_000

const SHORTEST_RESOURCE = 200

const MAX_FACT = 2_000

export function mediaProblem(
  mediaType: string,
  bytes: number,
  { types = IMAGE_TYPES, maxBytes = MAX_BYTES }: MediaOptions = {},
): string | undefined {
  const isAccepted = types.some(
    (type) => type === mediaType || (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1))),
  )
  if (!isAccepted) return `the model does not accept ${mediaType}`
  return bytes > maxBytes ? `it is larger than ${sizeText(maxBytes)}` : undefined
}

export function requireMedia(name: string, media: MediaOptions | undefined): MediaOptions | undefined {
  const { types = [], maxBytes = 0 } = media ?? {}
  if (!Array.isArray(types) || types.some((type) => typeof type !== 'string')) {
    throw new TypeError(`${name}: \`media.types\` must be an array of media types, for example ['image/png'].`)
  }
  if (typeof maxBytes === 'number' && maxBytes >= 0) return media
  throw new TypeError(`${name}: \`media.maxBytes\` is ${String(maxBytes)}; use a number of bytes.`)
}

const NO_PARTS: readonly FilePart[] = Object.freeze([])

interface ModelContent {
  readonly text: string
  readonly parts: readonly FilePart[]
}

export function contentForModel(
  response: ToolOutcome | StoredOutcome | Acknowledgement,
  media?: MediaOptions,
): ModelContent {
  const text = renderForModel(response)
  if (response.status !== 'completed' || response.content === undefined) return { text, parts: NO_PARTS }
  return shownContent(text, response.content, media)
}

export function shownContent(text: string, content: readonly ContentPart[], media?: MediaOptions): ModelContent {
  const lines: string[] = []
  const parts: FilePart[] = []
  let left = MAX_RESOURCES
  let omitted = 0
  for (const [index, part] of content.entries()) {
    if (part.uri !== undefined && part.inResult !== true) {
      const whole = resourceText(part, index)
      // A shortened link could not be read.
      const fits = part.type === 'text' ? left >= SHORTEST_RESOURCE : whole.length <= left
      if (fits) {
        const line = whole.length <= left ? whole : shorten(whole.slice(0, 2 * left), left)
        left -= line.length
        lines.push(line)
      } else omitted += 1
    }
    if (!isFilePart(part)) continue
    const problem = mediaProblem(part.mediaType, byteLength(part.data), media)
    if (problem === undefined) parts.push(part)
    else lines.push(`The ${part.type} ${index + 1} is not shown: ${problem}.`)
  }
  if (omitted > 0) lines.push(`Resources that are not shown, because the text would be too long: ${omitted}.`)
  return { text: [text, ...lines].join('\n'), parts }
}

function resourceText(part: ContentPart, index: number): string {
  const facts = (...all: readonly (string | undefined)[]): string =>
    all.flatMap((fact) => (fact === undefined ? [] : shorten(fact.replace(/\s+/g, ' '), MAX_FACT))).join(', ')
  if (isFilePart(part)) return `Resource ${facts(part.uri)}: ${placeholder(part, index)}`
  if (part.type === 'text') return `Resource ${facts(part.uri, part.mediaType)}:\n${part.text}`
  const { uri, name, title, description, mediaType, size } = part
  return `Resource link ${facts(uri, name, title, mediaType, size === undefined ? undefined : sizeText(size), description)}`
}

export function dataUrl({ mediaType, data }: FilePart): string {
  return `data:${mediaType};base64,${data}`
}

export function fileName({ mediaType, uri = '' }: FilePart): string {
  const [, name = ''] = /([^/\\?#]+)\/?(?:[?#].*)?$/s.exec(uri.replace(/^[^:]*:(?:\/\/)?/, '')) ?? []
  const [, extension] = /^[^/]+\/([a-z\d]{1,5})$/.exec(mediaType) ?? []
  const plain = shorten(name.replace(/[^\w. ()-]+/g, '_'), 100) || 'file'
  return extension === undefined || plain.includes('.') ? plain : `${plain}.${extension}`
}
