const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID of RFC 4122 in its usual form; version and variant may be any. */
export function isUuid(text: string): boolean {
  return uuidText.test(text)
}
