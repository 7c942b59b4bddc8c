/** What kind of body a response has, without parameters. */
export function mediaType({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}

/** A response with another body: a stream of events, or JSON. */
export function answeredBy({ headers, url }: Response, body: ReadableStream<Uint8Array> | string): Response {
  const answer = new Response(body, { headers })
  if (typeof body === 'string') answer.headers.set('content-type', 'application/json')
  // Redirects are followed by address.
  Object.defineProperty(answer, 'url', { value: url })
  return answer
}
