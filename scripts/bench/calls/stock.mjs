/** Articles that single calls ask for, by turns. */
export const skus = Array.from({ length: 50 }, (_, index) => skuOf(index + 1))

/** The name of an article, from 1 on. */
export function skuOf(number) {
  return `SKU-${number}`
}

/** The service behind the tool of every contestant; counts how often it is asked. */
export class StockService {
  asked = 0

  stockLevel(sku) {
    this.asked += 1
    return { sku, inStock: Number(sku.slice('SKU-'.length)) * 3, checkedAt: '2026-11-02T09:15:00Z' }
  }
}

/** What models are told of the tool. */
export const wording = {
  instructions: 'Count the articles that you are asked for.',
  question: 'How many pieces are there of each article?',
  tool: 'countStock',
  description: 'Count the pieces of an article in the warehouse.',
}
