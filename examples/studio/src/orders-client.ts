import { ToolFailure } from '@toolgen/runtime'

export interface Order {
  readonly id: string
  status: 'open' | 'shipped' | 'cancelled'
  readonly placedAt: Date
  readonly email: string
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly price: number }[]
  readonly total: number
}

export interface OrderFilter {
  readonly status?: Order['status'] | undefined
  readonly minTotal?: number | undefined
  readonly placed?: { readonly from: Date; readonly to: Date } | undefined
  readonly limit: number
}

/** Orders of the shop, in memory. */
export class OrdersClient {
  readonly #orders = new Map<string, Order>(
    [
      order('A-1001', 'open', '2026-11-03T09:30:00Z', [{ sku: 'LAMP-1', quantity: 1, price: 49.5 }]),
      order('A-1002', 'shipped', '2026-11-12T16:05:00Z', [
        { sku: 'LAMP-2', quantity: 2, price: 40 },
        { sku: 'BULB-9', quantity: 4, price: 3.5 },
      ]),
      order('A-1003', 'cancelled', '2026-10-28T11:45:00Z', [{ sku: 'SHADE-3', quantity: 1, price: 22 }]),
    ].map((each) => [each.id, each]),
  )

  async fetchOrder({ orderId }: { readonly orderId: string; readonly customer: string }): Promise<Order> {
    return this.#find(orderId)
  }

  async searchOrders({ status, minTotal = 0, placed, limit }: OrderFilter): Promise<readonly Order[]> {
    const found = [...this.#orders.values()].filter(
      (each) =>
        (status === undefined || each.status === status) &&
        each.total >= minTotal &&
        (placed === undefined || (each.placedAt >= placed.from && each.placedAt <= placed.to)),
    )
    return found.sort((a, b) => b.placedAt.getTime() - a.placedAt.getTime()).slice(0, limit)
  }

  async cancelOrder(orderId: string, reason: string): Promise<{ readonly cancelled: boolean }> {
    const found = this.#find(orderId)
    if (found.status === 'shipped')
      throw new ToolFailure(`Order ${orderId} has shipped; offer a return instead of "${reason}".`)
    found.status = 'cancelled'
    return { cancelled: true }
  }

  #find(orderId: string): Order {
    const found = this.#orders.get(orderId)
    if (found !== undefined) return found
    throw new ToolFailure(`There is no order ${orderId}. Ask the customer for the number on the invoice.`)
  }
}

function order(id: string, status: Order['status'], placedAt: string, lines: Order['lines']): Order {
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0)
  return { id, status, placedAt: new Date(placedAt), email: `${id.toLowerCase()}@customers.example`, lines, total }
}
