import { setTimeout as pause } from 'node:timers/promises'

/** State of a report after a quarter. */
export interface Progress {
  readonly year: number
  readonly quarter: string
  readonly revenue: number
  /** Revenue of the year so far, in euros. */
  readonly total: number
}

interface Books {
  /** Revenue of each quarter, in euros. */
  readonly revenues: readonly number[]
  /** Time between two quarters, in milliseconds. */
  readonly pauseMs: number
}

const BOOKS: ReadonlyMap<number, Books> = new Map([
  [2024, { revenues: [41_000, 38_500, 35_250, 52_000], pauseMs: 30 }],
  [2025, { revenues: [44_750, 40_000, 39_500, 61_250], pauseMs: 30 }],
  // The report of this year takes minutes: it is still running when the process is killed.
  [2026, { revenues: [47_000, 45_500, 42_000], pauseMs: 60_000 }],
])

/** The service that builds reports. It does not depend on sessions: `buildReport` is an async generator. */
export class ReportsClient {
  async listYears(): Promise<number[]> {
    return [...BOOKS.keys()]
  }

  async *buildReport({ year }: { readonly year: number }): AsyncGenerator<Progress, void> {
    const books = BOOKS.get(year)
    if (books === undefined) throw new Error(`There are no books of ${year}.`)
    let total = 0
    for (const [index, revenue] of books.revenues.entries()) {
      if (index > 0) await pause(books.pauseMs)
      total += revenue
      yield { year, quarter: `Q${index + 1}`, revenue, total }
    }
  }
}
