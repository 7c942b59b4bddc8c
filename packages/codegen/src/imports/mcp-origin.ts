import { isObject, type Json, own } from '../schema/json-schema.js'

/**
 * Where a server is: what starts it, or its address. `${NAME}` in it stands for a variable of the environment, so that no
 * secret is written down.
 */
export type McpOrigin = { readonly command: readonly string[] } | { readonly url: string }

/** What stands for a variable of the environment. */
const reference: RegExp = /\$\{(\w+)\}/g

/** Reads where a server is from a snapshot; `undefined` where it does not say so. */
export function readOrigin(recorded: Json | undefined): McpOrigin | undefined {
  if (!isObject(recorded)) return undefined
  const [url, command] = [own(recorded, 'url'), own(recorded, 'command')]
  if (typeof url === 'string') return { url }
  if (!Array.isArray(command) || command.length === 0) return undefined
  const words = command.filter((word) => typeof word === 'string')
  return words.length === command.length ? { command: words } : undefined
}

/** Where a server is, in words for people. */
export function shownOrigin(origin: McpOrigin): string {
  return `\`${'url' in origin ? origin.url : origin.command.join(' ')}\``
}

/** An origin whose variables are filled in. */
interface FilledOrigin {
  readonly origin: McpOrigin
  /** A text with what was filled in taken out again: messages may quote it. */
  hide(text: string): string
}

/** Fills in the variables of an origin, or names those that the environment does not have. */
export function fillOrigin(
  origin: McpOrigin,
  env: Readonly<Record<string, string | undefined>>,
): FilledOrigin | { readonly missing: readonly string[] } {
  const used = new Map<string, string>()
  const missing = new Set<string>()
  const fill = (text: string): string =>
    text.replace(reference, (written, name: string) => {
      const value = env[name]
      if (value === undefined) missing.add(name)
      else if (value !== '') used.set(written, value)
      return value ?? written
    })
  const filled = 'url' in origin ? { url: fill(origin.url) } : { command: origin.command.map(fill) }
  if (missing.size > 0) return { missing: [...missing] }
  const hide = (text: string): string =>
    [...used].reduce((shown, [written, value]) => shown.replaceAll(value, () => written), text)
  return { origin: filled, hide }
}

const secretWord =
  /^(?:api)?(?:keys?|tokens?|secrets?|passwords?|passwd|pwd|pat|auth|authorization|credentials?|bearer)$/i

/** How the keys of well-known services begin. */
const knownKey = /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|npm|xox[abprs]|AKIA|AIza|eyJ)[-_A-Za-z0-9]{12,}/

/** The name of the first part of an origin that seems to hold a secret; what a variable stands for is none. */
export function secretIn(origin: McpOrigin): string | undefined {
  if ('url' in origin) return secretInUrl(origin.url)
  const { command } = origin
  return command.flatMap((word, index) => secretInWord(word, command[index + 1] ?? '') ?? [])[0]
}

/**
 * `--api-key x`, `--api-key=x`, `API_KEY=x`, `Authorization: x`, `--header=Authorization: x`, an address with a user, and what
 * looks like a key of a well-known service.
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

/** An address as people may see it: without the secrets that stand in it; names of variables stay. */
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
  // A token in the place of a user: longer than names are.
  if (username.length >= 16) return 'user'
  return [...searchParams].find(([name, value]) => isSecret(name, value))?.[0]
}

function isSecret(name: string, value: string): boolean {
  if (value === '' || value.search(reference) !== -1) return false
  return name.split(/[-_]|(?<=[a-z])(?=[A-Z])/).some((part) => secretWord.test(part))
}
