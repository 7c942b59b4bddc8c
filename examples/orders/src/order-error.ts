/** What the shop's rules refuse. The message is written for customers. */
export class OrderError extends Error {
  override readonly name = 'OrderError'
  readonly code: 'unknown_order' | 'unknown_product' | 'already_shipped'
  /** The number of the order, or the article that does not exist. */
  readonly id: string

  constructor(code: OrderError['code'], id: string, message: string) {
    super(message)
    this.code = code
    this.id = id
  }
}
