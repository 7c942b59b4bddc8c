import { createReadStream, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { pointerOf } from '@toolgen/runtime/schema'
import { type Checked, type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import { diskErrorText, foundAt, isDiskError, relativePath } from '../files.js'
import { type JsonError, jsonError } from '../schema/json-error.js'
import { jsonLocations } from '../schema/json-losses.js'
import { isObject, type Json, own } from '../schema/json-schema.js'

/** Name of standard input in place of a file. */
export const standardInput = '-'

/** A text to import. */
export interface ImportSource {
  readonly text: string
  /** File for locations: relative to the folder in which the command works, with `/`. */
  readonly file: string
  /** Name for messages. */
  readonly shown: string
}

/** Limit for the size of a source in bytes. */
const maxBytes = 64 * 1024 * 1024
/** Limit for the time of a request in milliseconds. */
const timeLimit = 60_000

/**
 * Reads a file, or standard input for `-`.
 *
 * @param from relative to `cwd`
 * @param cwd absolute
 */
export async function readSource(from: string, cwd: string): Promise<Checked<ImportSource>> {
  const isInput = from === standardInput
  const shown = isInput ? 'Standard input' : `\`${from}\``
  const path = resolve(cwd, from)
  const failed = (why: string, next?: string): Checked<never> => ({ diagnostics: [unreadable(shown, why, next)] })
  try {
    if (!isInput && isEndless(path)) {
      return failed(endless, 'Name a file, or give the text to standard input with `--from -`.')
    }
    const text = await utf8(isInput ? process.stdin : createReadStream(path))
    if (text === undefined) return failed(tooLarge)
    return { value: { text, file: isInput ? '<stdin>' : relativePath(cwd, path), shown }, diagnostics: [] }
  } catch (thrown) {
    if (isDiskError(thrown)) return failed(diskErrorText(thrown))
    if (thrown instanceof TypeError) return failed(notUtf8)
    throw thrown
  }
}

/**
 * Reads a document from an HTTP address. `${NAME}` in it stands for a variable of the environment. A name and a password in
 * it are sent as a header.
 */
export async function fetchDocument(address: string): Promise<Checked<ImportSource>> {
  const file = withoutSecrets(address)
  const shown = `\`${file}\``
  const failed = (why: string): Checked<never> => ({
    diagnostics: [unreadable(shown, why, 'Correct --from, or give the document as a file.')],
  })
  const filled = fillOrigin({ url: address }, process.env)
  if ('missing' in filled) {
    const next = 'Set it where toolgen runs; `${NAME}` in an address stands for a variable.'
    const message = `${shown} is not asked: ${missingVariables(filled.missing)}.`
    return { diagnostics: [errorAt(undefined, 'TG0014', message, next)] }
  }
  const whole = filled.origin.url
  if (!URL.canParse(whole)) return failed('it is no address')
  // `fetch` rejects an address with credentials, and quotes them.
  const url = new URL(whole)
  const credentials = [url.username, url.password].map(decoded).join(':')
  url.username = ''
  url.password = ''
  const headers: Record<string, string> = { accept: 'application/json, application/yaml, */*;q=0.5' }
  if (credentials !== ':') headers.authorization = `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeLimit) })
    if (!response.ok) {
      await response.body?.cancel()
      return failed(`it answers with status ${response.status}`)
    }
    const text = await utf8(response.body ?? [])
    return text === undefined ? failed(tooLarge) : { value: { text, file, shown }, diagnostics: [] }
  } catch (thrown) {
    if (thrown instanceof DOMException) return failed('it does not answer within a minute')
    if (!(thrown instanceof TypeError)) throw thrown
    if ('code' in thrown && thrown.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return failed(notUtf8)
    const { cause, message } = thrown
    return failed(filled.hide(cause instanceof Error && cause.message !== '' ? cause.message : message))
  }
}

/** Decodes a part of an address; an invalid one stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const tooLarge = 'it is larger than 64 MiB'
const notUtf8 = 'it is no text in UTF-8'
const endless = 'it is a pipe or a device, and no file'

/** Returns a text in UTF-8 without its byte order mark; `undefined` if it is too large. */
async function utf8(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string | undefined> {
  const read: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    read.push(chunk)
    size += chunk.length
    if (size > maxBytes) return undefined
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(read))
}

/** Returns `true` for a path that may be read forever. Reading a folder fails at once. */
function isEndless(path: string): boolean {
  const found = foundAt(path)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Reports a source that cannot be read. */
function unreadable(
  shown: string,
  why: string,
  next = 'Correct --from; it is relative to the folder in which the command works.',
): Diagnostic {
  return errorAt(undefined, 'TG0009', `${shown} cannot be read: ${why}.`, next)
}

/** Changes the fix of diagnostics about a source that the snapshot names. */
export function namedBySnapshot(diagnostics: readonly Diagnostic[], snapshot: string): readonly Diagnostic[] {
  const next = `It is \`${snapshot}\` that names this place. Give \`--from\` with the present one.`
  return diagnostics.map((diagnostic) => (diagnostic.code === 'TG0009' ? { ...diagnostic, next } : diagnostic))
}

/** Parses the JSON of a source. */
export function jsonOf(source: ImportSource): Checked<{ readonly json: unknown }> {
  const error = jsonError(source.text)
  if (error !== undefined) return { diagnostics: [invalidText(source, error)] }
  return { value: { json: JSON.parse(source.text) }, diagnostics: [] }
}

/** Reports a source that is not JSON, or not YAML. */
export function invalidText(
  { file, shown }: ImportSource,
  { line, column, why }: JsonError,
  language = 'JSON',
): Diagnostic {
  return { ...unreadable(shown, why, `Correct the ${language}, or --from.`), location: { file, line, column } }
}

/** Returns the locations of parts of a JSON text: each that of the innermost written part around it. */
export function jsonPartLocations(
  text: string,
  parts: readonly (readonly (string | number)[])[],
): readonly Pick<SourceLocation, 'line' | 'column'>[] {
  if (parts.length === 0) return []
  const pointers = parts.map((keys) => [...keys, ''].map((_, outer) => pointerOf(keys.slice(0, keys.length - outer))))
  const locations = jsonLocations(text, new Set(pointers.flat()))
  return pointers.map((candidates) => {
    const pointer = candidates.find((each) => locations.has(each)) ?? ''
    return locations.get(pointer) ?? { line: 1, column: 1 }
  })
}

/** A file of JSON, or the end of the sentence "... cannot be read:". */
export type JsonFile = { readonly text: string; readonly json: unknown } | { readonly why: string }

/** Reads a file of JSON. */
export function readJsonFile(path: string): JsonFile {
  try {
    if (isEndless(path)) return { why: endless }
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    return { text, json: JSON.parse(text) }
  } catch (thrown) {
    if (isDiskError(thrown)) return { why: diskErrorText(thrown) }
    if (thrown instanceof SyntaxError) return { why: 'it is no JSON' }
    throw thrown
  }
}

/** Command or address of an MCP server. `${NAME}` stands for a variable of the environment, so that no secret is recorded. */
export type McpOrigin = { readonly command: readonly string[] } | { readonly url: string }

const variable: RegExp = /\$\{(\w+)\}/g

/** Reads the origin in a snapshot. */
export function readOrigin(recorded: Json | undefined): McpOrigin | undefined {
  if (!isObject(recorded)) return undefined
  const [url, command] = [own(recorded, 'url'), own(recorded, 'command')]
  if (typeof url === 'string') return { url }
  if (!Array.isArray(command) || command.length === 0) return undefined
  return command.every((word) => typeof word === 'string') ? { command } : undefined
}

export function shownOrigin(origin: McpOrigin): string {
  return `\`${'url' in origin ? origin.url : origin.command.join(' ')}\``
}

/** An origin whose variables are replaced by their values. */
interface FilledOrigin<Origin> {
  readonly origin: Origin
  /** Replaces the values in a text by their variables. */
  hide(text: string): string
}

/** Replaces the variables of an origin by their values, or returns the names of missing variables. */
export function fillOrigin<Origin extends McpOrigin>(
  origin: Origin,
  env: Readonly<Record<string, string | undefined>>,
): FilledOrigin<Origin> | { readonly missing: readonly string[] } {
  const used = new Map<string, string>()
  const missing = new Set<string>()
  const fill = (text: string): string =>
    text.replace(variable, (written, name: string) => {
      const value = env[name]
      if (value === undefined) missing.add(name)
      else if (value !== '') used.set(written, value)
      return value ?? written
    })
  const filled = 'url' in origin ? { url: fill(origin.url) } : { command: origin.command.map(fill) }
  if (missing.size > 0) return { missing: [...missing] }
  const hide = (text: string): string =>
    [...used].reduce((shown, [written, value]) => shown.replaceAll(value, () => written), text)
  return { origin: filled as Origin, hide }
}

/** Returns the part of a message that names missing variables. */
export function missingVariables(names: readonly string[]): string {
  return `the environment has no ${names.map((name) => `\`${name}\``).join(', ')}`
}

const secretWord =
  /^(?:api)?(?:keys?|tokens?|secrets?|passwords?|passwd|pwd|pat|auth|authorization|credentials?|bearer)$/i

/** Beginnings of the keys of well-known services. */
const knownKey = /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|npm|xox[abprs]|AKIA|AIza|eyJ)[-_A-Za-z0-9]{12,}/

/** Returns the name of the first part of an origin that seems to hold a secret. Variables are no secrets. */
export function secretIn(origin: McpOrigin): string | undefined {
  if ('url' in origin) return secretInUrl(origin.url)
  const { command } = origin
  return command.flatMap((word, index) => secretInWord(word, command[index + 1] ?? '') ?? [])[0]
}

/**
 * Recognizes `--api-key x`, `--api-key=x`, `API_KEY=x`, `Authorization: x`, `--header=Authorization: x`, an address with
 * credentials, and keys of well-known services.
 */
function secretInWord(word: string, next: string): string | undefined {
  const [, assigned, value = ''] = /^-{0,2}([\w-]+)(?:=|:\s*)(.*)$/s.exec(word) ?? []
  if (assigned !== undefined && isSecret(assigned, value)) return assigned
  const [, flag] = /^-{1,2}([\w-]+)$/.exec(word) ?? []
  if (flag !== undefined && !next.startsWith('-') && isSecret(flag, next)) return flag
  if (knownKey.test(word)) return `${word.slice(0, 4)}...`
  const isAddress = /^[\w+.-]+:\/\//.test(word)
  return secretInUrl(word) ?? (isAddress || value === '' ? undefined : secretInWord(value, ''))
}

/** Returns an address without its secrets. Names of variables stay. */
export function withoutSecrets(address: string): string {
  return address
    .replace(/^([\w+.-]+:\/\/)([^/?#]*)@/, (written, scheme: string, user: string) =>
      /^:?$/.test(user.replace(variable, '')) ? written : `${scheme}***@`,
    )
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (written, mark: string, name: string, value: string) =>
      isSecret(name, value) ? `${mark}${name}=***` : written,
    )
}

function secretInUrl(text: string): string | undefined {
  const literal = text.replace(variable, '')
  if (!URL.canParse(literal)) return undefined
  const { username, password, searchParams } = new URL(literal)
  if (password !== '') return 'password'
  // A token in place of a user name: it is longer.
  if (username.length >= 16) return 'user'
  return [...searchParams].find(([name, value]) => isSecret(name, value))?.[0]
}

function isSecret(name: string, value: string): boolean {
  if (value === '' || value.search(variable) !== -1) return false
  return name.split(/[-_]|(?<=[a-z])(?=[A-Z])/).some((part) => secretWord.test(part))
}
