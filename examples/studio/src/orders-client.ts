import { unknownOrder } from '../gen/toolsets/orders/index.js'

interface Order {
  readonly id: string
  status: 'open' | 'shipped' | 'cancelled'
  readonly total: number
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[]
  readonly email: string
}

/** The orders of the shop, in memory. */
export class OrdersClient {
  readonly #orders: readonly Order[] = [
    { id: 'A-1003', status: 'open', total: 79.8, lines: [{ sku: 'LAMP-2', quantity: 2 }], email: 'ada@example.com' },
    {
      id: 'A-1002',
      status: 'shipped',
      total: 24.5,
      lines: [{ sku: 'BULB-1', quantity: 5 }],
      email: 'alan@example.com',
    },
    { id: 'A-1001', status: 'open', total: 39.9, lines: [{ sku: 'LAMP-1', quantity: 1 }], email: 'ada@example.com' },
  ]

  async findOrders({ status, limit }: { readonly status?: string; readonly limit: number }): Promise<readonly Order[]> {
    return this.#orders.filter((order) => status === undefined || order.status === status).slice(0, limit)
  }

  async getOrder({ orderId }: { readonly orderId: string }): Promise<Order> {
    return this.#find(orderId)
  }

  async cancelOrder({
    orderId,
    refund,
  }: {
    readonly orderId: string
    readonly refund: { readonly kind: 'all' } | { readonly kind: 'part'; readonly amount: number }
    readonly note?: string
  }): Promise<{ readonly id: string; readonly refunded: number }> {
    const order = this.#find(orderId)
    order.status = 'cancelled'
    return { id: orderId, refunded: refund.kind === 'all' ? order.total : refund.amount }
  }

  async *exportOrders({ year }: { readonly year: number }): AsyncGenerator<{
    readonly percent: number
    readonly rows: number
    readonly file: string
  }> {
    for (let percent = 20; percent <= 100; percent += 20) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      yield { percent, rows: percent * 12, file: `orders-${year}.csv` }
    }
  }

  #find(orderId: string): Order {
    const order = this.#orders.find(({ id }) => id === orderId)
    if (order === undefined) throw unknownOrder({ orderId })
    return order
  }
}
