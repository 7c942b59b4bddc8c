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
