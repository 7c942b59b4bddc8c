interface ClientRequest {
  asResponse?(): Promise<Response>
}

/**
 * Reads the response to a request for a stream if the server sent JSON or a web page instead. Returns `undefined` for a stream, and for the
 * requests of clients that another library wraps.
 *
 * @param request request of a client of OpenAI or Anthropic
 * @throws {SyntaxError} if the response is a web page, or invalid JSON
 */
export async function wholeResponse(request: ClientRequest): Promise<{ readonly json: unknown } | undefined> {
  const response = await request.asResponse?.()
  const type = response?.headers.get('content-type') ?? ''
  if (response === undefined || !/^(application\/json|text\/html)\b/i.test(type)) return undefined
  const text = await response.clone().text()
  // Some servers send events with the type of JSON.
  return /^\s*(data|event|id|retry)?:/.test(text) ? undefined : { json: JSON.parse(text) }
}
