import type { ApiError } from './api.js'

/** Error that the server sends as the response to a request, with this HTTP status. */
export class RequestError extends Error {
  readonly status: 400 | 403 | 404 | 405 | 409 | 413 | 415 | 429
  /** Advice on how to fix the error. `undefined` for errors without advice. */
  readonly next: string | undefined
  readonly code: ApiError['error']['code']

  constructor(status: RequestError['status'], message: string, next?: string, code?: RequestError['code']) {
    super(message)
    this.name = 'RequestError'
    this.status = status
    this.next = next
    this.code = code
  }
}
