import { isDate, isDateTime, isDuration, isTime } from './date-formats.js'
import { isLegalPattern, maxPatternLength } from './pattern.js'

const dotString = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const quotedString = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/

/** Returns whether a value is an email address of RFC 5321. The domain is a host name or an IP address in brackets. */
export function isEmail(text: unknown): boolean {
  if (typeof text !== 'string') return false
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

/** Returns whether a value is an IPv4 address without leading zeros, such as `192.0.2.1`. */
export function isIpv4(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 15) return false
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => ipv4Part.test(part) && Number(part) <= 255)
}

/** Returns whether a value is an IPv6 address of RFC 4291, without a zone such as `%eth0`. */
export function isIpv6(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 45) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1)
  const endsInIpv4 = last?.includes('.') === true && !text.endsWith('::')
  if (endsInIpv4 && !isIpv4(groups.pop() ?? '')) return false
  const size = groups.length + (endsInIpv4 ? 2 : 0)
  return groups.every((group) => ipv6Group.test(group)) && (halves.length === 2 ? size < 8 : size === 8)
}

// The expression of RFC 3986, appendix B, splits any string into parts. Each part is then checked on its own.
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s
const scheme = /^[a-z][a-z0-9+.-]*$/i
const pathChars = /^(?:[a-z0-9\-._~!$&'()*+,;=:@/]|%[0-9a-f]{2})*$/i
const queryChars = /^(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*$/i
const userChars = /^(?:[a-z0-9\-._~!$&'()*+,;=:]|%[0-9a-f]{2})*$/i
const nameChars = /^(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})*$/i
const futureAddress = /^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i

/** Returns whether a value is a URI of RFC 3986 that begins with a scheme, such as `https:`. */
export function isUri(value: unknown): boolean {
  return isReference(value, true)
}

/** Returns whether a value is a URI or a relative reference of RFC 3986, such as `../orders?page=2`. */
export function isUriReference(value: unknown): boolean {
  return isReference(value, false)
}

function isReference(value: unknown, schemeNeeded: boolean): boolean {
  const match = typeof value === 'string' ? parts.exec(value) : null
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

/**
 * Without an authority such as `//example.com`, the first segment must not contain a colon, because parsers would read the text before the colon as a
 * scheme.
 */
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

/** Returns whether a value is a UUID of RFC 4122 with hyphens, of any version and variant. */
export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && uuidText.test(value)
}

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i
// RFC 5891 reserves labels with hyphens at the third and fourth position for internationalized names.
const reserved = /^(?!xn)..--/i

const usual = /^[a-z0-9]+(?:\.[a-z0-9]+)*$/i

/** Returns whether a value is a host name of RFC 1123, with at most 253 characters. Each label has 1 to 63 letters, digits and hyphens. */
export function isHostname(text: unknown): boolean {
  if (typeof text !== 'string') return false
  if (text.length <= 63 && usual.test(text)) return true
  if (text.length > 253) return false
  return text.split('.').every((part) => part.length <= 63 && label.test(part) && !reserved.test(part))
}

/** Returns whether a value is a valid ECMA-262 regular expression with the `u` flag and at most 10,000 characters. */
export function isRegex(value: unknown): boolean {
  return typeof value === 'string' && value.length <= maxPatternLength && isLegalPattern(value, 'u')
}

/** Maps format names to functions that test a value in linear time. Formats that the map does not contain are not validated. */
export const formats: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
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
