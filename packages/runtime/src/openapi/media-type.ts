/** The media type of an answer in lower case, without parameters; empty where it says none. */
export function mediaTypeOf(headers: Headers): string {
  return plainType(headers.get('content-type') ?? '')
}

/** A media type in lower case, without parameters. */
export function plainType(written: string): string {
  return written.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Whether a media type is JSON, such as `application/problem+json`. */
export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/(?:json|.+\+json)$/.test(type)
}
