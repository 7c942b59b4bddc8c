/** Error that a request receives, with the HTTP status of the response. */
export class RequestError extends Error {
  readonly status: 400 | 403 | 404 | 405 | 409 | 413 | 415 | 429
  /** Next step. Absent if it is unknown. */
  readonly next: string | undefined

  constructor(status: RequestError['status'], message: string, next?: string) {
    super(message)
    this.name = 'RequestError'
    this.status = status
    this.next = next
  }
}
