import type { Database } from 'sql.js'

/** What the warehouse answers when it is asked too often, as HTTP clients throw it. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
  readonly status = 429
  readonly headers: Headers

  constructor(retryAfterSeconds: number) {
    super('warehouse-3.internal answered 429 to token wh_live_51x')
    this.headers = new Headers({ 'retry-after': String(retryAfterSeconds) })
  }
}

/** The warehouse's stock service; it allows a number of requests and then asks callers to wait. */
export class WarehouseClient {
  readonly #database: Database
  #allowed: number

  constructor(database: Database, allowed: number) {
    this.#database = database
    this.#allowed = allowed
  }

  async count(sku: string): Promise<number> {
    if (this.#allowed === 0) throw new TooManyRequests(30)
    this.#allowed -= 1
    const result = this.#database.exec('select stock from products where sku = ?', [sku])
    return Number(result[0]?.values[0]?.[0] ?? 0)
  }
}
