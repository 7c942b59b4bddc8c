/** Writes a text so that it can stand in a URL as a value. */
export type Encode = (text: string) => string

/** Percent-encodes all but what RFC 3986 calls unreserved. Halves of characters become the replacement character. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(/[!'()*]/g, escaped)
}

/** The same, but characters that mean something in a URL stay; not those that would end the value or begin another one. */
export function reservedKept(text: string): string {
  return percentEncoded(text).replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent)
}

/** As forms are written: a space is `+`. */
export function formEncoded(text: string): string {
  return percentEncoded(text).replaceAll('%20', '+')
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
