import type { JsonValue } from '../types/json.js'

export const ID_LENGTH = 12

const ENCODED = ['%3[Cc]CORE%3[Ee]', 'https%3[Aa]%2[Ff]%2[Ff]redacted\\.invalid%2[Ff]CORE', 'CORE%40redacted\\.invalid']
const PLAIN = ['<CORE>', 'https://redacted\\.invalid/CORE', 'CORE@redacted\\.invalid', '\\bCORE\\b', '\\bUUID\\b']

/**
 * Also matches pseudonyms without the angle brackets, which models may omit. The pattern limits the length of the name in a pseudonym, so that
 * matching takes linear time.
 */
export const PSEUDONYM: RegExp = new RegExp(
  [...ENCODED, ...PLAIN]
    .join('|')
    .replaceAll('CORE', '[a-z][a-z\\d]{0,15}_[a-f\\d]{12}')
    .replace('UUID', '[a-f\\d]{8}-[a-f\\d]{4}-4[a-f\\d]{3}-[89ab][a-f\\d]{3}-[a-f\\d]{12}'),
  'g',
)

export const INVALID_ARGUMENTS = 'invalidarguments'

export function isOfInvalidArguments(pseudonym: string): boolean {
  return pseudonym.startsWith(`<${INVALID_ARGUMENTS}_`)
}

export function urlEncoded(value: string): string {
  // `encodeURIComponent` throws for lone surrogates.
  return encodeURIComponent(value.replace(/[\uD800-\uDFFF]/gu, '\uFFFD'))
}

export function isEncoded(pseudonym: string): boolean {
  return pseudonym.includes('%')
}

export function coreOf(pseudonym: string): string {
  return pseudonym.replace(
    /^(<|https:\/\/redacted\.invalid\/|%3C|https%3A%2F%2Fredacted\.invalid%2F)|(@|%40)redacted\.invalid$|(>|%3E)$/gi,
    '',
  )
}

/**
 * An email address, URL or UUID gets a pseudonym of the same format, so that schemas and models accept the pseudonym. The id is random, so that
 * nobody can guess a pseudonym of another session.
 */
export function newPseudonym(value: JsonValue, name: string): string {
  const uuid = crypto.randomUUID()
  if (name === INVALID_ARGUMENTS) return `<${name}_${uuid.replaceAll('-', '').slice(0, ID_LENGTH)}>`
  if (typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) return uuid
  const core = `${wordOf(name)}_${uuid.replaceAll('-', '').slice(0, ID_LENGTH)}`
  if (typeof value === 'string' && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return `${core}@redacted.invalid`
  if (typeof value === 'string' && /^https?:\/\//.test(value)) return `https://redacted.invalid/${core}`
  return `<${core}>`
}

export function wordOf(name: string): string {
  const word = name
    .toLowerCase()
    .replace(/[^a-z\d]/g, '')
    .replace(/^\d+/, '')
  return word.slice(0, 16) || 'value'
}
