import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'

/** Contains references such as `${API_KEY}` instead of secrets. toolgen inserts the environment variables when it starts or calls the server. */
export type McpOrigin = { readonly command: readonly string[] } | UrlOrigin

interface UrlOrigin {
  readonly url: string
  /** Environment variables by the lowercase names of the headers. */
  readonly headers?: HeaderVariables
}

export type HeaderVariables = Readonly<Record<string, string>>

const variable: RegExp = /\$\{(\w+)\}/g

export function readOrigin(recorded: Json | undefined): McpOrigin | undefined {
  if (!isObject(recorded)) return undefined
  const [url, command] = [own(recorded, 'url'), own(recorded, 'command')]
  if (typeof url === 'string') {
    const headers = own(recorded, 'headers')
    if (headers === undefined) return { url }
    return isObject(headers) && Object.entries(headers).every(isHeader)
      ? { url, headers: headers as HeaderVariables }
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

function isHeaderName(name: string): boolean {
  return headerName.test(name) && !connectionHeaders.includes(name)
}

function isHeader([name, variableName]: readonly [string, unknown]): boolean {
  return isHeaderName(name) && typeof variableName === 'string' && /^[A-Za-z_]\w*$/.test(variableName)
}

/** Reads the values of `--header`. Does not quote a malformed value, because the user may have written a secret instead of a variable. */
export function readHeaders(
  texts: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>>,
): Checked<HeaderVariables> {
  const wrong = (message: string, next: string): Checked<never> => {
    return { diagnostics: [errorAt(undefined, 'TG0001', message, next)] }
  }
  const headers = new Map<string, string>()
  for (const text of texts) {
    const [, written = '', name = ''] = /^([^=:]+)=([A-Za-z_]\w*)$/.exec(text) ?? []
    const isVariable = (env[name] !== undefined || /^[A-Z_][A-Z0-9_]*$/.test(name)) && !knownKey.test(name)
    if (written === '' || !isVariable) {
      const next =
        'Set an environment variable to the value of the header, for example to `Bearer TOKEN`. Then pass its name: `--header authorization=MCP_AUTHORIZATION`.'
      return wrong(
        'A value of --header is not `NAME=VARIABLE`, the name of a header and of an environment variable.',
        next,
      )
    }
    const header = written.toLowerCase()
    if (!isHeaderName(header)) {
      const next = `Use letters, digits and \`-\`. HTTP clients set these headers themselves: ${connectionHeaders.join(', ')}.`
      return wrong(`--header cannot set a header with the name \`${written}\`.`, next)
    }
    if (headers.has(header)) return wrong(`--header sets \`${header}\` more than once.`, 'Keep one of the values.')
    headers.set(header, name)
  }
  if (headers.size === 0) return { diagnostics: [] }
  return { value: Object.fromEntries([...headers].sort(([a], [b]) => byCodePoint(a, b))), diagnostics: [] }
}

export function withHeaders(origin: McpOrigin, headers: HeaderVariables | undefined): Checked<McpOrigin> {
  if (headers === undefined) return { value: origin, diagnostics: [] }
  return 'url' in origin ? { value: { ...origin, headers }, diagnostics: [] } : { diagnostics: [headersNeedUrl()] }
}

export function headersNeedUrl(): Diagnostic {
  const next =
    'Pass the URL of the server with `--url URL`, or omit `--header`. A server that toolgen starts with a command receives the environment variables of toolgen.'
  return errorAt(undefined, 'TG0001', '--header needs a server over HTTP.', next)
}

interface FilledOrigin<Origin> {
  /** The headers contain their values. */
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
    text.replace(variable, (written, name: string) => {
      const value = env[name]
      if (value === undefined) missing.add(name)
      else if (value !== '') used.set(written, value)
      return value ?? written
    })
  const headerValue = (name: string): string => {
    const value = env[name] ?? ''
    if (value.trim() === '') missing.add(name)
    return value
  }
  const filled =
    'url' in origin
      ? {
          url: fill(origin.url),
          ...(origin.headers !== undefined && {
            headers: Object.fromEntries(
              Object.entries(origin.headers).map(([name, from]) => [name, headerValue(from)]),
            ),
          }),
        }
      : { command: origin.command.map(fill) }
  if (missing.size > 0) return { missing: [...missing] }
  const hide = (text: string): string =>
    [...used].reduce((shown, [written, value]) => shown.replaceAll(value, () => written), text)
  return { origin: filled as Origin, hide }
}

export function missingVariables(names: readonly string[]): string {
  return `not set in the environment: ${names.map((name) => `\`${name}\``).join(', ')}`
}

const secretWord =
  /^(?:api)?(?:keys?|tokens?|secrets?|passwords?|passwd|pwd|pat|auth|authorization|credentials?|bearer)$/i

const knownKey = /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|npm|xox[abprs]|AKIA|AIza|eyJ)[-_A-Za-z0-9]{12,}/

export function secretIn(origin: McpOrigin): string | undefined {
  if ('url' in origin) return secretInUrl(origin.url)
  const { command } = origin
  return command.flatMap((word, index) => secretInWord(word, command[index + 1] ?? '') ?? [])[0]
}

/** Detects for example `--api-key=x`, `API_KEY=x`, `Authorization: x`, URLs with credentials, and keys of well-known services. */
function secretInWord(word: string, next: string): string | undefined {
  const [, assigned, value = ''] = /^-{0,2}([\w-]+)(?:=|:\s*)(.*)$/s.exec(word) ?? []
  if (assigned !== undefined && isSecret(assigned, value)) return assigned
  const [, flag] = /^-{1,2}([\w-]+)$/.exec(word) ?? []
  if (flag !== undefined && !next.startsWith('-') && isSecret(flag, next)) return flag
  if (knownKey.test(word)) return `${word.slice(0, 4)}...`
  const isAddress = /^[\w+.-]+:\/\//.test(word)
  return secretInUrl(word) ?? (isAddress || value === '' ? undefined : secretInWord(value, ''))
}

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
  // A user name this long is probably a token.
  if (username.length >= 16) return 'user'
  return [...searchParams].find(([name, value]) => isSecret(name, value))?.[0]
}

function isSecret(name: string, value: string): boolean {
  if (value === '' || value.search(variable) !== -1) return false
  return name.split(/[-_]|(?<=[a-z])(?=[A-Z])/).some((part) => secretWord.test(part))
}
