/** What the shop's services refuse. Its words are meant for customers and models. */
export class ShopError extends Error {
  override readonly name = 'ShopError'
}
