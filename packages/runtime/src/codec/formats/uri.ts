import { isIpv6 } from './internet-address.js'

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
