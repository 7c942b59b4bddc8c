import type { SessionEntry } from '@toolgen/runtime/sessions'

/** Session of a user. */
export interface Connection {
  /** URL of the session, for example `http://127.0.0.1:8080/sessions/s-1`. */
  readonly url: string
  readonly user: string
  readonly signal: AbortSignal
}

/** Sends a question to the agent and returns its answer. */
export async function ask({ url, user, signal }: Connection, words: string): Promise<string> {
  const headers = { 'x-user': user }
  const response = await accepted(fetch(`${url}/questions`, { method: 'POST', body: words, headers, signal }))
  return response.text()
}

/**
 * Yields the entries of the session after a sequence. Disconnects when the loop ends.
 *
 * @param after sequence of the last entry that the user has seen. Default: 0, before the first entry
 */
export async function* follow({ url, user, signal }: Connection, after = 0): AsyncGenerator<SessionEntry, void> {
  const response = await accepted(fetch(`${url}/entries?after=${after}`, { headers: { 'x-user': user }, signal }))
  let rest = ''
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}

/** Deletes the session and its stored data. */
export async function leave({ url, user, signal }: Connection): Promise<void> {
  await accepted(fetch(url, { method: 'DELETE', headers: { 'x-user': user }, signal }))
}

async function accepted(asked: Promise<Response>): Promise<Response> {
  const response = await asked
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response
}
