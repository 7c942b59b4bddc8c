import type { Database, SqlValue } from 'sql.js'
import { OrderError } from './order-error.js'
import type { WarehouseClient } from './warehouse-client.js'

export type OrderStatus = 'open' | 'shipped' | 'cancelled'

export interface OrderLine {
  sku: string
  quantity: number
  unitPrice: number
}

export interface Order {
  id: string
  customerId: string
  status: OrderStatus
  createdAt: Date
  priority: 'standard' | 'express'
  lines: OrderLine[]
  total: number
}

export interface OrderQuery {
  customerId?: string
  status?: OrderStatus
  /** Returns only orders created at or after this time. */
  createdSince?: Date
  limit: number
}

/** The existing order service of the shop, written without tools in mind. */
export class OrdersClient {
  readonly #database: Database
  readonly #warehouse: WarehouseClient
  readonly #now: () => Date

  constructor(database: Database, warehouse: WarehouseClient, now: () => Date = () => new Date()) {
    this.#database = database
    this.#warehouse = warehouse
    this.#now = now
  }

  /** Returns one order. Writes the look-up to the log of the session. */
  async fetchOrder(request: { orderId: string; sessionId: string }): Promise<Order> {
    const order = this.#order(request.orderId)
    this.#database.run('insert into lookups values (?, ?)', [request.sessionId, request.orderId])
    return order
  }

  async searchOrders(query: OrderQuery): Promise<Order[]> {
    const rows = this.#rows(
      `select id from orders
       where (?1 is null or customer_id = ?1) and (?2 is null or status = ?2) and (?3 is null or created_at >= ?3)
       order by created_at desc limit ?4`,
      [query.customerId ?? null, query.status ?? null, query.createdSince?.toISOString() ?? null, query.limit],
    )
    return rows.map((row) => this.#order(text(row.id)))
  }

  async placeOrder(order: {
    customerId: string
    lines: { sku: string; quantity: number }[]
    priority: 'standard' | 'express'
  }): Promise<Order> {
    const priced = order.lines.map((line) => ({ ...line, unitPrice: this.#price(line.sku) }))
    const id = `A-${1001 + Number(this.#rows('select count(*) as n from orders')[0]?.n ?? 0)}`
    this.#database.run('insert into orders values (?, ?, ?, ?, ?, null)', [
      id,
      order.customerId,
      'open',
      this.#now().toISOString(),
      order.priority,
    ])
    for (const line of priced)
      this.#database.run('insert into lines values (?, ?, ?, ?)', [id, line.sku, line.quantity, line.unitPrice])
    return this.#order(id)
  }

  async cancelOrder(orderId: string, reason?: string): Promise<Order> {
    const order = this.#order(orderId)
    if (order.status === 'shipped')
      throw new OrderError(
        'already_shipped',
        orderId,
        `Order ${orderId} has left the warehouse; offer a return instead`,
      )
    this.#database.run("update orders set status = 'cancelled', cancel_reason = ? where id = ?", [
      reason ?? null,
      orderId,
    ])
    return { ...order, status: 'cancelled' }
  }

  /** Asks the warehouse, which allows few requests per minute. */
  async stockLevel(sku: string): Promise<{ sku: string; inStock: number; checkedAt: Date }> {
    return { sku, inStock: await this.#warehouse.count(sku), checkedAt: this.#now() }
  }

  #order(id: string): Order {
    const [row] = this.#rows('select * from orders where id = ?', [id])
    if (row === undefined) throw new OrderError('unknown_order', id, `There is no order ${id}`)
    const lines = this.#rows('select * from lines where order_id = ?', [id]).map((line) => ({
      sku: text(line.sku),
      quantity: Number(line.quantity),
      unitPrice: Number(line.unit_price),
    }))
    return {
      id: text(row.id),
      customerId: text(row.customer_id),
      status: text(row.status) as OrderStatus,
      createdAt: new Date(text(row.created_at)),
      priority: text(row.priority) as Order['priority'],
      lines,
      total: lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0),
    }
  }

  #price(sku: string): number {
    const [product] = this.#rows('select unit_price from products where sku = ?', [sku])
    if (product === undefined) throw new OrderError('unknown_product', sku, `There is no product ${sku}`)
    return Number(product.unit_price)
  }

  #rows(sql: string, parameters: SqlValue[] = []): Record<string, SqlValue>[] {
    const statement = this.#database.prepare(sql, parameters)
    const rows: Record<string, SqlValue>[] = []
    while (statement.step()) rows.push(statement.getAsObject())
    statement.free()
    return rows
  }
}

const text = (value: SqlValue | undefined): string => String(value)
