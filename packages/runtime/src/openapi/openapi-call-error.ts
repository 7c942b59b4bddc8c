/** What is known of a request that was answered with something other than a result. */
export interface OpenApiCallErrorFacts {
  /** E.g. `GET /orders/{id}`. */
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  /** The body as text, its beginning where it is long. */
  readonly body: string
}

/**
 * What an HTTP API answered in place of a result. The runtime classifies it by its status and headers; its message is for
 * the application's log, no model sees it.
 */
export class OpenApiCallError extends Error {
  override readonly name = 'OpenApiCallError'
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  readonly body: string

  constructor({ operation, status, headers, body }: OpenApiCallErrorFacts) {
    super(`${operation} was answered with status ${status}`)
    this.operation = operation
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** Whether something thrown is an {@link OpenApiCallError}, also one of another copy of this package. */
export function isOpenApiCallError(error: unknown): error is OpenApiCallError {
  return error instanceof Error && error.name === 'OpenApiCallError' && 'status' in error && 'headers' in error
}
