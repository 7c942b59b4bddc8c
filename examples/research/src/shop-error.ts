/** Error for requests that a service of the shop rejects. Customers and models can read the message. */
export class ShopError extends Error {
  override readonly name = 'ShopError'
}
