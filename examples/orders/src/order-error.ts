/** What the shop's rules refuse. The message is written for customers. */
export class OrderError extends Error {
  override readonly name = 'OrderError'
  readonly code: 'unknown_order' | 'unknown_product' | 'already_shipped'

  constructor(code: OrderError['code'], message: string) {
    super(message)
    this.code = code
  }
}
