/** Error for requests that break a rule of the shop. Customers can read the message. */
export class OrderError extends Error {
  override readonly name = 'OrderError'
  readonly code: 'unknown_order' | 'unknown_product' | 'already_shipped'
  /** Number of the order, or name of the unknown article. */
  readonly id: string

  constructor(code: OrderError['code'], id: string, message: string) {
    super(message)
    this.code = code
    this.id = id
  }
}
