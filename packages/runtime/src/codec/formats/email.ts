import { isHostname } from './hostname.js'
import { isIpv4, isIpv6 } from './internet-address.js'

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
