/** Article numbers of the measured calls. */
export const skus = Array.from({ length: 50 }, (_, index) => skuOf(index + 1))

/** Returns an article number. `number` starts at 1. */
export function skuOf(number) {
  return `SKU-${number}`
}

/** The service that the tools of all contestants call. Counts its requests. */
export class StockService {
  requests = 0

  stockLevel(sku) {
    this.requests += 1
    return { sku, inStock: Number(sku.slice('SKU-'.length)) * 3, checkedAt: '2026-11-02T09:15:00Z' }
  }
}

/** Instructions, question and descriptions, the same for all contestants. */
export const texts = {
  instructions: 'Count the requested articles.',
  question: 'How many pieces are there of each article?',
  tool: 'countStock',
  description: 'Count the pieces of an article in the warehouse.',
}
