const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const padding = 61
const none = 64
const codes: Uint8Array = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0))
const digits: Uint8Array = digitTable()
/** The getter by which every typed array, and nothing else, says its own name, whatever a subclass calls itself. */
const viewName: (() => unknown) | undefined = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get
/** How many characters are made of codes at once: engines bound the arguments of a call. */
const chunk = 8192

/**
 * The bytes of a base64 text (RFC 4648, section 4) with its padding; `undefined` for any other text: other alphabets,
 * white space, missing padding, bits beside the last byte. So every bytes have exactly one text.
 */
export function bytesFromText(text: string): Uint8Array<ArrayBuffer> | undefined {
  const { length } = text
  if (length % 4 !== 0) return undefined
  const padded =
    length === 0 || text.charCodeAt(length - 1) !== padding ? 0 : text.charCodeAt(length - 2) === padding ? 2 : 1
  const bytes = new Uint8Array((length / 4) * 3 - padded)
  let at = 0
  for (let index = 0; index < length; index += 4) {
    const missing = index + 4 === length ? padded : 0
    const a = digitAt(text, index)
    const b = digitAt(text, index + 1)
    const c = missing === 2 ? 0 : digitAt(text, index + 2)
    const d = missing > 0 ? 0 : digitAt(text, index + 3)
    if (a === none || b === none || c === none || d === none) return undefined
    if ((missing === 2 && (b & 15) !== 0) || (missing === 1 && (c & 3) !== 0)) return undefined
    bytes[at++] = (a << 2) | (b >> 4)
    if (missing < 2) bytes[at++] = ((b & 15) << 4) | (c >> 2)
    if (missing < 1) bytes[at++] = ((c & 3) << 6) | d
  }
  return bytes
}

/** Bytes as base64 with padding. */
export function bytesText(bytes: Uint8Array): string {
  const { length } = bytes
  const written = new Uint8Array(Math.ceil(length / 3) * 4).fill(padding)
  let at = 0
  for (let index = 0; index < length; index += 3) {
    const a = bytes[index] ?? 0
    const b = bytes[index + 1] ?? 0
    const c = bytes[index + 2] ?? 0
    written[at] = codes[a >> 2] ?? padding
    written[at + 1] = codes[((a & 3) << 4) | (b >> 4)] ?? padding
    if (index + 1 < length) written[at + 2] = codes[((b & 15) << 2) | (c >> 6)] ?? padding
    if (index + 2 < length) written[at + 3] = codes[c & 63] ?? padding
    at += 4
  }
  let text = ''
  for (let start = 0; start < written.length; start += chunk) {
    text += String.fromCharCode(...written.subarray(start, start + chunk))
  }
  return text
}

/** Whether a value is a `Uint8Array` (a `Buffer` is one), of any realm. */
export function isBytes(value: object): value is Uint8Array {
  return ArrayBuffer.isView(value) && viewName?.call(value) === 'Uint8Array'
}

function digitAt(text: string, index: number): number {
  return digits[text.charCodeAt(index)] ?? none
}

/** The digit of each character code; {@link none} for all that are none. */
function digitTable(): Uint8Array {
  const table = new Uint8Array(128).fill(none)
  for (const [digit, code] of codes.entries()) table[code] = digit
  return table
}
