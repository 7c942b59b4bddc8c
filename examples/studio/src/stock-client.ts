/** The stock of the shop, in memory. */
export class StockClient {
  readonly #pieces: ReadonlyMap<string, number> = new Map([
    ['LAMP-1', 3],
    ['LAMP-2', 41],
    ['BULB-1', 230],
  ])

  async stockLevel(sku: string): Promise<{ readonly sku: string; readonly pieces: number }> {
    return { sku, pieces: this.#pieces.get(sku) ?? 0 }
  }

  async reorder({ sku }: { readonly sku: string; readonly pieces: number }): Promise<{
    readonly sku: string
    readonly arrivesOn: string
  }> {
    return { sku, arrivesOn: '2027-01-15' }
  }
}
