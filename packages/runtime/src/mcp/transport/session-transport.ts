import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** How long a server may take to hear that a session is over, in milliseconds. */
const GOODBYE_MS = 1_000

/** Streamable HTTP that tells the server when its session is over, so that it need not wait for it to grow old. */
export class SessionTransport extends StreamableHTTPClientTransport {
  #closing: Promise<void> | undefined

  override close(): Promise<void> {
    this.#closing ??= this.#sayGoodbye().then(() => super.close())
    return this.#closing
  }

  async #sayGoodbye(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GOODBYE_MS)
    })
    // A server that does not hear it forgets the session by itself.
    await Promise.race([this.terminateSession().catch(() => undefined), late])
    clearTimeout(timer)
  }
}
