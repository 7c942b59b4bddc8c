import { defined } from '../defined.js'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'

/** Can contain references such as `${API_KEY}` instead of secrets. toolgen inserts the environment variables when it starts or calls the server. */
export type McpOrigin =
  | { readonly command: readonly string[] }
  | { readonly url: string; readonly headers?: OriginHeaders }

/** Values by the lowercase names of the headers. */
export type OriginHeaders = Readonly<Record<string, string>>

/** For methods of strings, which ignore the state of the expression. */
export const reference: RegExp = /\$\{([A-Za-z_]\w*)\}/g

export function readOrigin(recorded: Json | undefined): McpOrigin | undefined {
  if (!isObject(recorded)) return undefined
  const [url, command] = [own(recorded, 'url'), own(recorded, 'command')]
  if (typeof url === 'string') {
    const headers = own(recorded, 'headers')
    if (headers === undefined) return { url }
    return isObject(headers) && Object.entries(headers).every(isHeader)
      ? { url, headers: headers as OriginHeaders }
      : undefined
  }
  if (!Array.isArray(command) || command.length === 0) return undefined
  return command.every((word) => typeof word === 'string') ? { command } : undefined
}

export function shownOrigin(origin: McpOrigin): string {
  return `\`${'url' in origin ? origin.url : origin.command.join(' ')}\``
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** Headers that `fetch` rejects. */
const connectionHeaders: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]

/** True if `fetch` accepts the value. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(value)
}

function isHeader([name, value]: readonly [string, unknown]): boolean {
  const isName = headerName.test(name) && !connectionHeaders.includes(name)
  return isName && typeof value === 'string' && isHeaderValue(value)
}

/** Reads the values of `--header`. Messages do not quote them, because they can contain secrets. */
export function readHeaders(texts: readonly string[] = []): Checked<OriginHeaders> {
  const wrong = (message: string, next: string, code = 'TG0001'): Checked<never> => {
    return { diagnostics: [errorAt(undefined, code, message, next)] }
  }
  const headers = new Map<string, string>()
  for (const [index, text] of texts.entries()) {
    const [, written = '', value = ''] = /^([^:]+):\s*(.*?)\s*$/s.exec(text) ?? []
    const name = written.toLowerCase()
    if (connectionHeaders.includes(name)) {
      const next = `HTTP clients set these headers themselves: ${connectionHeaders.join(', ')}.`
      return wrong(`--header cannot set \`${name}\`.`, next)
    }
    if (!isHeader([name, value])) {
      const message = `Value ${index + 1} of --header is not an HTTP header, which consists of a name, a colon and one line of ASCII text.`
      return wrong(message, `Write for example ${headerExample}`)
    }
    if (headers.has(name)) return wrong(`--header sets \`${name}\` more than once.`, 'Keep one of the values.')
    if (isSecretHeader([name, value])) {
      const message = `The value of the header \`${name}\` looks like a secret. It contains no reference such as \`\${TOKEN}\`.`
      return wrong(message, `Set an environment variable to the secret, and write ${headerExample}`, 'TG6007')
    }
    headers.set(name, value)
  }
  if (headers.size === 0) return { diagnostics: [] }
  return { value: Object.fromEntries([...headers].sort(([a], [b]) => byCodePoint(a, b))), diagnostics: [] }
}

const headerExample =
  "`--header 'authorization: Bearer ${TOKEN}'`. Use single quotes, because the shell replaces `${TOKEN}` in double quotes."

export function withHeaders(origin: McpOrigin, headers: OriginHeaders | undefined): Checked<McpOrigin> {
  if (headers === undefined) return { value: origin, diagnostics: [] }
  return 'url' in origin ? { value: { ...origin, headers }, diagnostics: [] } : { diagnostics: [headersNeedUrl()] }
}

export function headersNeedUrl(): Diagnostic {
  const next =
    'Pass the URL of the server with `--url URL`, or omit `--header`. A server that toolgen starts with a command receives the environment variables of toolgen.'
  return errorAt(undefined, 'TG0001', '--header needs a server over HTTP.', next)
}

interface FilledOrigin<Origin> {
  readonly origin: Origin
  /** Replaces inserted environment variables with references such as `${API_KEY}`, so that messages show no secrets. */
  hide(text: string): string
}

export function fillOrigin<Origin extends McpOrigin>(
  origin: Origin,
  env: Readonly<Record<string, string | undefined>>,
): FilledOrigin<Origin> | { readonly missing: readonly string[] } {
  const used = new Map<string, string>()
  const missing = new Set<string>()
  const fill = (text: string): string =>
    text.replace(reference, (written, name: string) => {
      const value = env[name] ?? ''
      if (value.trim() === '') missing.add(name)
      used.set(written, value.trim())
      return value
    })
  // HTTP ignores whitespace around a value, such as the line break at the end of a file with a token.
  const fillHeader = ([name, value]: readonly [string, string]) => [name, fill(value).trim()] as const
  const filled =
    'command' in origin
      ? { command: origin.command.map(fill) }
      : defined({
          url: fill(origin.url),
          headers: origin.headers && Object.fromEntries(Object.entries(origin.headers).map(fillHeader)),
        })
  if (missing.size > 0) return { missing: [...missing] }
  // A value can contain a shorter one.
  const longestFirst = [...used].sort(([, a], [, b]) => b.length - a.length)
  const hide = (text: string): string =>
    longestFirst.reduce((shown, [written, value]) => shown.replaceAll(value, () => written), text)
  return { origin: filled as Origin, hide }
}

export function missingVariables(names: readonly string[]): string {
  return `not set or empty in the environment: ${names.map((name) => `\`${name}\``).join(', ')}`
}

const secretWord =
  /^(?:api)?(?:keys?|tokens?|secrets?|passwords?|passwd|pwd|pat|auth|authorization|credentials?|bearer|cookies?)$/i

const knownKey = /(?<!\S)(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|npm|xox[abprs]|AKIA|AIza|eyJ)[-_A-Za-z0-9]{12,}/

export function secretIn(origin: McpOrigin): string | undefined {
  if ('url' in origin) return secretInUrl(origin.url) ?? Object.entries(origin.headers ?? {}).find(isSecretHeader)?.[0]
  const { command } = origin
  return command.flatMap((word, index) => secretInWord(word, command[index + 1] ?? '') ?? [])[0]
}

function isSecretHeader([name, value]: readonly [string, string]): boolean {
  return isSecret(name, value) || secretInWord(value, '') !== undefined
}

/** Detects for example `--api-key=x`, `API_KEY=x`, `Authorization: x`, URLs with credentials, and keys of well-known services. */
function secretInWord(word: string, next: string): string | undefined {
  const [, assigned, value = ''] = /^-{0,2}([\w-]+)(?:=|:\s*)(.*)$/s.exec(word) ?? []
  if (assigned !== undefined && isSecret(assigned, value)) return assigned
  const [, flag] = /^-{1,2}([\w-]+)$/.exec(word) ?? []
  if (flag !== undefined && !next.startsWith('-') && isSecret(flag, next)) return flag
  const [key] = knownKey.exec(word) ?? []
  if (key !== undefined) return `${key.slice(0, 4)}...`
  const isAddress = /^[\w+.-]+:\/\//.test(word)
  return secretInUrl(word) ?? (isAddress || value === '' ? undefined : secretInWord(value, ''))
}

export function withoutSecrets(address: string): string {
  return address
    .replace(/^([\w+.-]+:\/\/)([^/?#]*)@/, (written, scheme: string, user: string) =>
      /^:?$/.test(user.replace(reference, '')) ? written : `${scheme}***@`,
    )
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (written, mark: string, name: string, value: string) =>
      isSecret(name, value) ? `${mark}${name}=***` : written,
    )
}

function secretInUrl(text: string): string | undefined {
  const literal = text.replace(reference, '')
  if (!URL.canParse(literal)) return undefined
  const { username, password, searchParams } = new URL(literal)
  if (password !== '') return 'password'
  // A user name this long is probably a token.
  if (username.length >= 16) return 'user'
  return [...searchParams].find(([name, value]) => isSecret(name, value))?.[0]
}

function isSecret(name: string, value: string): boolean {
  if (value === '' || value.search(reference) !== -1) return false
  return name.split(/[-_]|(?<=[a-z])(?=[A-Z])/).some((part) => secretWord.test(part))
}
