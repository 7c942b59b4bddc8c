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
