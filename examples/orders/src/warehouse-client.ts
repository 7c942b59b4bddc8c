import type { Database } from 'sql.js'

/** Error of the warehouse after too many requests, in the form that HTTP clients throw. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
  readonly status = 429
  readonly headers: Headers

  constructor(retryAfterSeconds: number) {
    super('warehouse-3.internal answered 429 to token wh_live_51x')
    this.headers = new Headers({ 'retry-after': String(retryAfterSeconds) })
  }
}

/** Stock service of the warehouse. After a number of requests, the service asks callers to wait. */
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
