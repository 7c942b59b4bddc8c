import { retryAfterMs } from '../../execute/failure/retry-after.js'
import { McpCallError } from '../../execute/mcp/mcp-call-error.js'

/** How an address is asked: the global `fetch` is one. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** How much of the body of an error is read, in bytes, and for how long, in milliseconds: the status has said the most. */
const KEPT_BYTES = 2_000
const READ_FOR_MS = 1_000

/**
 * A `fetch` that fails where a server answers with an error: the SDK would read all of its body and keep only the status, and
 * that not always. A 405 to anything but a message says that a server does not offer it, and is passed on.
 */
export function refusingFetch(own: Fetch): Fetch {
  return async (url, init) => {
    const response = await own(url, init)
    const { status, headers } = response
    if (status < 400 || (status === 405 && init?.method !== 'POST')) return response
    const text = await beginning(response.body)
    const wait = retryAfterMs({ headers }, Date.now())
    throw new McpCallError('http', `the server answered with HTTP ${status}${text === '' ? '' : `: ${text}`}`, {
      status,
      ...(wait !== undefined && { retryAfterMs: wait }),
    })
  }
}

async function beginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_FOR_MS)
  })
  const decoder = new TextDecoder()
  let [text, left] = ['', KEPT_BYTES]
  try {
    while (left > 0) {
      const read = await Promise.race([reader.read(), late])
      if (read?.value === undefined) break
      text += decoder.decode(read.value.subarray(0, left), { stream: true })
      left -= read.value.length
    }
  } catch {
    // What has come is what is known.
  }
  clearTimeout(timer)
  reader.cancel().catch(() => undefined)
  return text.trim()
}
