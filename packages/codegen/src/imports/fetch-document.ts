import process from 'node:process'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { fillOrigin, withoutSecrets } from './mcp-origin.js'
import type { ImportSource } from './read-source.js'
import { unreadable } from './toolset-module.js'

/** In bytes. */
const largest = 64 * 1024 * 1024
/** In milliseconds. */
const longest = 60_000

/**
 * Reads a document from its address. `${NAME}` in it stands for a variable of the environment; a name and a password in it
 * are sent as a header.
 *
 * @param address with `http` or `https`
 */
export async function fetchDocument(address: string): Promise<Checked<ImportSource>> {
  const file = withoutSecrets(address)
  const shown = `\`${file}\``
  const filled = fillOrigin({ url: address }, process.env)
  if ('missing' in filled) return { diagnostics: [notSet(shown, filled.missing)] }
  const whole = 'url' in filled.origin ? filled.origin.url : address
  if (!URL.canParse(whole)) return { diagnostics: [unreached(shown, 'it is no address')] }
  const { url, headers } = withHeader(new URL(whole))
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json, application/yaml, */*;q=0.5', ...headers },
      signal: AbortSignal.timeout(longest),
    })
    if (!response.ok) {
      await response.body?.cancel()
      return { diagnostics: [unreached(shown, `it answers with status ${response.status}`)] }
    }
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of response.body ?? []) {
      pieces.push(piece)
      size += piece.length
      if (size > largest) return { diagnostics: [unreached(shown, 'it is larger than 64 MiB')] }
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
    return { value: { text, file, shown }, diagnostics: [] }
  } catch (error) {
    if (error instanceof DOMException) return { diagnostics: [unreached(shown, 'it does not answer within a minute')] }
    if (!(error instanceof TypeError)) throw error
    const isText = 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    return { diagnostics: [unreached(shown, isText ? 'it is no text in UTF-8' : filled.hide(why(error)))] }
  }
}

/** `fetch` takes no address with a name and a password in it, and quotes both. */
function withHeader(url: URL): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } {
  const { username, password } = url
  if (username === '' && password === '') return { url, headers: {} }
  const bytes = Buffer.from([username, password].map(plain).join(':'), 'utf8')
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return { url: bare, headers: { authorization: `Basic ${bytes.toString('base64')}` } }
}

/** A part of an address as it is meant; one that is not escaped well is meant as it is written. */
function plain(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** `fetch` tells what happened in the cause of its error. */
function why({ cause, message }: Error): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

function unreached(shown: string, reason: string): Diagnostic {
  return { ...unreadable(shown, reason), next: 'Correct --from, or give the document as a file.' }
}

function notSet(shown: string, names: readonly string[]): Diagnostic {
  return {
    code: 'TG0014',
    severity: 'error',
    message: `${shown} is not asked: the environment has no ${names.map((name) => `\`${name}\``).join(', ')}.`,
    next: 'Set it where toolgen runs; `${NAME}` in an address stands for a variable.',
  }
}
