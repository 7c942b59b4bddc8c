import { ShopError } from './shop-error.js'

export interface Order {
  readonly id: string
  readonly deliveredOn: string
  readonly articles: { readonly sku: string; readonly name: string }[]
}

/** The order service of the shop, in memory. `sent` lists the replacements that it sent. */
export class OrdersClient {
  readonly sent: string[] = []
  readonly #orders: readonly Order[] = [
    { id: 'A-1001', deliveredOn: '2026-11-04', articles: [{ sku: 'LAMP-1', name: 'Desk lamp, dimmable' }] },
  ]

  async getOrder({ orderId }: { readonly orderId: string }): Promise<Order> {
    const order = this.#orders.find(({ id }) => id === orderId)
    if (order === undefined) throw new ShopError(`There is no order ${orderId}.`)
    return order
  }

  async sendPart(request: {
    readonly orderId: string
    readonly part: string
  }): Promise<{ shipmentId: string; arrivesOn: string }> {
    const { id } = await this.getOrder(request)
    this.sent.push(`${request.part} for ${id}`)
    return { shipmentId: `S-${this.sent.length}`, arrivesOn: '2026-11-24' }
  }
}
