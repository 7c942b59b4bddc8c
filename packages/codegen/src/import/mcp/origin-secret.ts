import { type McpOrigin, reference } from './origin.js'

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
