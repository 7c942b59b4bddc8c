import type { ApiError } from './api.js'

export class RequestError extends Error {
  readonly status: 400 | 403 | 404 | 405 | 409 | 413 | 415 | 429
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
