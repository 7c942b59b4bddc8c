/** Marks an error answer that this side wrote in place of one that is longer than it takes. */
export const TOO_LARGE = 'toolgen.too_large'

/** Marks an error answer that this side wrote because the stream of an answer broke off. */
export const BROKEN_OFF = 'toolgen.broken_off'

/** An error answer to a request in place of the server's, as JSON. */
export function ownAnswer(id: number | string, message: string, data: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message, data } })
}
