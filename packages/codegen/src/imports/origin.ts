import { isObject, type Json, own } from '../schema/json-schema.js'

/** Contains references such as `${API_KEY}` instead of secrets. toolgen inserts the environment variables when it starts or calls the server. */
export type McpOrigin = { readonly command: readonly string[] } | { readonly url: string }

const variable: RegExp = /\$\{(\w+)\}/g

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
