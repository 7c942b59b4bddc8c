import { createReadStream, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { diskErrorText, foundAt, isDiskError, relativePath } from '../files.js'
import { type JsonError, jsonError } from './json-error.js'
import { fillOrigin, missingVariables, withoutSecrets } from './mcp-origin.js'

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
  try {
    if (!isInput && isEndless(resolve(cwd, from))) {
      const next = 'Name a file, or give the text to standard input with `--from -`.'
      return { diagnostics: [{ ...unreadable(shown, endless), next }] }
    }
    const text = await utf8(isInput ? process.stdin : createReadStream(resolve(cwd, from)))
    if (text === undefined) return { diagnostics: [unreadable(shown, tooLarge)] }
    const file = isInput ? '<stdin>' : relativePath(cwd, resolve(cwd, from))
    return { value: { text, file, shown }, diagnostics: [] }
  } catch (thrown) {
    if (isDiskError(thrown)) return { diagnostics: [unreadable(shown, diskErrorText(thrown))] }
    if (thrown instanceof TypeError) return { diagnostics: [unreadable(shown, notUtf8)] }
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
  const failed = (why: string): Checked<ImportSource> => ({
    diagnostics: [{ ...unreadable(shown, why), next: 'Correct --from, or give the document as a file.' }],
  })
  const filled = fillOrigin({ url: address }, process.env)
  if ('missing' in filled) {
    const next = 'Set it where toolgen runs; `${NAME}` in an address stands for a variable.'
    return {
      diagnostics: [errorAt(undefined, 'TG0014', `${shown} is not asked: ${missingVariables(filled.missing)}.`, next)],
    }
  }
  const whole = 'url' in filled.origin ? filled.origin.url : address
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

/** Reports a source that cannot be read. */
export function unreadable(shown: string, why: string): Diagnostic {
  const next = 'Correct --from; it is relative to the folder in which the command works.'
  return errorAt(undefined, 'TG0009', `${shown} cannot be read: ${why}.`, next)
}

/** Changes the fix of diagnostics about a source that the snapshot names. */
export function namedBySnapshot(diagnostics: readonly Diagnostic[], snapshot: string): readonly Diagnostic[] {
  const next = `It is \`${snapshot}\` that names this place. Give \`--from\` with the present one.`
  return diagnostics.map((diagnostic) => (diagnostic.code === 'TG0009' ? { ...diagnostic, next } : diagnostic))
}

/** Parses the JSON of a source. */
export function jsonOf(source: ImportSource): Checked<{ readonly json: unknown }> {
  const found = jsonError(source.text)
  if (found !== undefined) return { diagnostics: [invalidJson(source, found)] }
  return { value: { json: JSON.parse(source.text) }, diagnostics: [] }
}

/** Reports a source that is not JSON. */
export function invalidJson({ file, shown }: ImportSource, { line, column, why }: JsonError): Diagnostic {
  return { ...unreadable(shown, why), location: { file, line, column }, next: 'Correct the JSON, or --from.' }
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

/** Returns `true` for a path that may be read forever. Reading a folder fails at once. */
function isEndless(path: string): boolean {
  const found = foundAt(path)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}
