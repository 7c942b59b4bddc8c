import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { diskErrorText, foundAt, isDiskError, relativePath } from '../files.js'
import type { JsonError } from '../schema/json-error.js'
import { fillOrigin, missingVariables, withoutSecrets } from './origin.js'

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
export const endless = 'it is a pipe or a device, and no file'

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
export function isEndless(path: string): boolean {
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

/** Reports a source that is not JSON, or not YAML. */
export function invalidText(
  { file, shown }: ImportSource,
  { line, column, why }: JsonError,
  language = 'JSON',
): Diagnostic {
  return { ...unreadable(shown, why, `Correct the ${language}, or --from.`), location: { file, line, column } }
}
