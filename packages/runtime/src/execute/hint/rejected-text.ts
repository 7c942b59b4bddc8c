import type { JsonText } from '../../contract/json.js'

/** How many UTF-16 code units of rejected arguments a hint carries. */
const LONGEST_REJECTED = 10_000

/** Rejected arguments as a hint carries them: whole, or their beginning and how long they were, which is no JSON then. */
export function rejectedText(sent: JsonText): string {
  if (sent.length <= LONGEST_REJECTED) return sent
  // Half a character would be no text.
  const end = /[\uD800-\uDBFF]$/.test(sent.slice(0, LONGEST_REJECTED)) ? LONGEST_REJECTED - 1 : LONGEST_REJECTED
  return `${sent.slice(0, end)}… (${sent.length} characters)`
}
