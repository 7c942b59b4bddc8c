import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { diskErrorText, foundAt, isDiskError, relativePath } from '../files.js'
import type { JsonError } from '../schema/json-error.js'
import { fillOrigin, missingVariables, withoutSecrets } from './origin.js'

export const standardInput = '-'

export function isAddress(from: string): boolean {
  return /^https?:\/\//i.test(from)
}

export interface ImportSource {
  readonly text: string
  /** For diagnostics: relative to the current folder, with `/` as separator. */
  readonly file: string
  readonly shown: string
}

const maxBytes = 64 * 1024 * 1024
const timeLimit = 60_000

export async function readSource(from: string, cwd: string): Promise<Checked<ImportSource>> {
  const isInput = from === standardInput
  const shown = isInput ? 'Standard input' : `\`${from}\``
  const path = resolve(cwd, from)
  const failed = (why: string, next?: string): Checked<never> => ({ diagnostics: [unreadable(shown, why, next)] })
  try {
    if (!isInput && isEndless(path)) {
      return failed(endless, 'Use a file, or pipe the text to standard input with `--from -`.')
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

/** Inserts environment variables for references such as `${NAME}`. Sends credentials in the URL as a header. */
export async function fetchDocument(address: string): Promise<Checked<ImportSource>> {
  const file = withoutSecrets(address)
  const shown = `\`${file}\``
  const failed = (why: string): Checked<never> => ({
    diagnostics: [unreadable(shown, why, 'Correct the URL, or use a file.')],
  })
  const filled = fillOrigin({ url: address }, process.env)
  if ('missing' in filled) {
    const next =
      'Set the variable in the environment of toolgen. `${NAME}` in a URL is replaced by an environment variable.'
    const message = `Cannot fetch ${shown}: ${missingVariables(filled.missing)}.`
    return { diagnostics: [errorAt(undefined, 'TG0014', message, next)] }
  }
  const whole = filled.origin.url
  if (!URL.canParse(whole)) return failed('it is not a valid URL')
  // `fetch` rejects a URL that contains credentials, and its error message would show them.
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
      return failed(`the server returned status ${response.status}`)
    }
    const text = await utf8(response.body ?? [])
    return text === undefined ? failed(tooLarge) : { value: { text, file, shown }, diagnostics: [] }
  } catch (thrown) {
    if (thrown instanceof DOMException) return failed('the server did not respond within a minute')
    if (!(thrown instanceof TypeError)) throw thrown
    if ('code' in thrown && thrown.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return failed(notUtf8)
    const { cause, message } = thrown
    return failed(filled.hide(cause instanceof Error && cause.message !== '' ? cause.message : message))
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const tooLarge = 'it is larger than 64 MiB'
const notUtf8 = 'it is not UTF-8 text'
export const endless = 'it is a pipe or a device, not a file'

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

/** Reading a pipe may never end. A folder is not endless, because reading a folder fails. */
export function isEndless(path: string): boolean {
  const found = foundAt(path)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

function unreadable(
  shown: string,
  why: string,
  next = 'Correct --from. It is relative to the working folder of the command.',
): Diagnostic {
  return errorAt(undefined, 'TG0009', `${shown} cannot be read: ${why}.`, next)
}

/** The default fix is about the command line, but this source is from a snapshot. */
export function namedBySnapshot(diagnostics: readonly Diagnostic[], snapshot: string): readonly Diagnostic[] {
  const next = `\`${snapshot}\` records this source. Set \`--from\` to the current source.`
  return diagnostics.map((diagnostic) => (diagnostic.code === 'TG0009' ? { ...diagnostic, next } : diagnostic))
}

export function invalidText(
  { file, shown }: ImportSource,
  { line, column, why }: JsonError,
  language = 'JSON',
): Diagnostic {
  return {
    ...unreadable(shown, why, `Correct the ${language}, or set --from to another source.`),
    location: { file, line, column },
  }
}
