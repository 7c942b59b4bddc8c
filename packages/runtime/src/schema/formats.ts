import { isDate, isDateTime, isDuration, isTime } from './date-time.js'

const dotString = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const quotedString = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/

/** Whether a text is a mailbox of RFC 5321: a dotted or quoted local part and a host name or address literal. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  // 64 and 255 octets are the limits of RFC 5321 for the two parts.
  if (at < 1 || at > 64 || text.length - at > 256) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  return (dotString.test(local) || quotedString.test(local)) && (isHostname(domain) || isAddressLiteral(domain))
}

function isAddressLiteral(domain: string): boolean {
  if (!domain.startsWith('[') || !domain.endsWith(']')) return false
  const address = domain.slice(1, -1)
  return isIpv4(address) || (/^ipv6:/i.test(address) && isIpv6(address.slice(5)))
}

const ipv4Part = /^(?:0|[1-9]\d{0,2})$/
const ipv6Group = /^[0-9a-fA-F]{1,4}$/

/** Whether a text is a dotted IPv4 address without leading zeros. */
export function isIpv4(text: string): boolean {
  if (text.length > 15) return false
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => ipv4Part.test(part) && Number(part) <= 255)
}

/** Whether a text is an IPv6 address of RFC 4291, without a zone. */
export function isIpv6(text: string): boolean {
  if (text.length > 45) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1)
  const endsInIpv4 = last?.includes('.') === true && !text.endsWith('::')
  if (endsInIpv4 && !isIpv4(groups.pop() ?? '')) return false
  const size = groups.length + (endsInIpv4 ? 2 : 0)
  return groups.every((group) => ipv6Group.test(group)) && (halves.length === 2 ? size < 8 : size === 8)
}

// RFC 3986, appendix B, splits any text into its parts; each part is then checked against its own characters.
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s
const scheme = /^[a-z][a-z0-9+.-]*$/i
const pathChars = /^(?:[a-z0-9\-._~!$&'()*+,;=:@/]|%[0-9a-f]{2})*$/i
const queryChars = /^(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*$/i
const userChars = /^(?:[a-z0-9\-._~!$&'()*+,;=:]|%[0-9a-f]{2})*$/i
const nameChars = /^(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})*$/i
const futureAddress = /^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i

/** Whether a text is a URI of RFC 3986: with a scheme. */
export function isUri(text: string): boolean {
  return isReference(text, true)
}

/** Whether a text is a URI or a relative reference of RFC 3986. */
export function isUriReference(text: string): boolean {
  return isReference(text, false)
}

function isReference(text: string, schemeNeeded: boolean): boolean {
  const match = parts.exec(text)
  if (match === null) return false
  const [, schemePart, authority, path = '', query = '', fragment = ''] = match
  if (schemePart === undefined ? schemeNeeded || !isRelativePath(path, authority) : !scheme.test(schemePart))
    return false
  return (
    pathChars.test(path) &&
    queryChars.test(query) &&
    queryChars.test(fragment) &&
    (authority === undefined || isAuthority(authority))
  )
}

/** Without a scheme, a colon in the first segment would be read as the end of one. */
function isRelativePath(path: string, authority: string | undefined): boolean {
  return authority !== undefined || !(path.split('/', 1)[0] ?? '').includes(':')
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  if (at >= 0 && !userChars.test(authority.slice(0, at))) return false
  if (host.startsWith('[')) {
    const end = host.indexOf(']')
    const address = host.slice(1, end)
    return end > 0 && isPort(host.slice(end + 1)) && (isIpv6(address) || futureAddress.test(address))
  }
  const colon = host.indexOf(':')
  return colon < 0 ? nameChars.test(host) : nameChars.test(host.slice(0, colon)) && isPort(host.slice(colon))
}

function isPort(text: string): boolean {
  return text === '' || /^:\d*$/.test(text)
}

const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID of RFC 4122 in its usual form; version and variant may be any. */
export function isUuid(text: string): boolean {
  return uuidText.test(text)
}

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i
// Hyphens in the third and fourth place are reserved for labels that carry other scripts (RFC 5891).
const reserved = /^(?!xn)..--/i

/** Host names without hyphens: where they are short as a whole, so is each label. */
const usual = /^[a-z0-9]+(?:\.[a-z0-9]+)*$/i

/** Whether a text is a host name of RFC 1123: labels of up to 63 letters, digits and inner hyphens, 253 in all. */
export function isHostname(text: string): boolean {
  if (text.length <= 63 && usual.test(text)) return true
  if (text.length > 253) return false
  return text.split('.').every((part) => part.length <= 63 && label.test(part) && !reserved.test(part))
}

// A longer pattern is no tool argument, and the engine's own parser recurses.
const longestPattern = 10_000

/** Whether a text is a regular expression of ECMA-262 under its `u` flag, of at most 10,000 characters. */
export function isRegex(text: string): boolean {
  if (text.length > longestPattern) return false
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    // There is no other way to ask whether a pattern is well-formed.
    return false
  }
}

/** Whether a text has a format. Takes time linear in the length of the text. */
type FormatTest = (text: string) => boolean

/** The formats that codecs assert. Every other `format` is an annotation. */
export const formats: ReadonlyMap<string, FormatTest> = new Map([
  ['date-time', isDateTime],
  ['date', isDate],
  ['time', isTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['uri', isUri],
  ['uri-reference', isUriReference],
  ['uuid', isUuid],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['hostname', isHostname],
  ['regex', isRegex],
])
