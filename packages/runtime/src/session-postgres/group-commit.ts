import { peek } from '../execute/failure/peek.js'

/** Something to be written, with whose it is. */
export interface Change {
  /** A statement changes one row once: of two changes of one row the later one waits for the next statement. */
  readonly row: string
  /** The row as JSON. */
  readonly json: string
}

/** Writes changes of different rows in one statement and tells the rows that it changed. */
export type WriteAll = (changes: readonly Change[]) => Promise<ReadonlySet<string>>

interface Waiting extends Change {
  resolve(isDone: boolean): void
  reject(error: unknown): void
}

/** How much goes into one statement, in changes and in UTF-16 code units; a larger change goes alone. */
const MAX_CHANGES = 256
const MAX_LENGTH = 4_000_000

/**
 * Writes one statement at a time: changes that come while one is under way are joined in the next. A database commits
 * many rows in little more time than one.
 */
export class GroupCommit {
  readonly #writeAll: WriteAll
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(writeAll: WriteAll) {
    this.#writeAll = writeAll
  }

  /** Whether the row was changed, once that is committed; rejects with what the statement failed with. */
  write({ row, json }: Change): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, json, resolve, reject })
      if (this.#isWriting) return
      this.#isWriting = true
      // What the same turn still brings joins the first statement.
      queueMicrotask(() => this.#drain())
    })
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commit(this.#next())
    this.#isWriting = false
  }

  /** The longest waiting changes that fit into one statement; those of one row stay in their order. */
  #next(): readonly Waiting[] {
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    const rows = new Set<string>()
    let length = 0
    for (const waiting of this.#waiting) {
      const fits = batch.length < MAX_CHANGES && (batch.length === 0 || length + waiting.json.length <= MAX_LENGTH)
      if (fits && !rows.has(waiting.row)) {
        batch.push(waiting)
        length += waiting.json.length
      } else rest.push(waiting)
      rows.add(waiting.row)
    }
    this.#waiting = rest
    return batch
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const changed = await this.#writeAll(batch)
      for (const { row, resolve } of batch) resolve(changed.has(row))
    } catch (error) {
      if (batch.length > 1 && isAboutOneRow(error)) {
        // One session's state must not keep the others from being stored.
        const half = Math.ceil(batch.length / 2)
        await this.#commit(batch.slice(0, half))
        await this.#commit(batch.slice(half))
      } else for (const { reject } of batch) reject(error)
    }
  }
}

/** SQLSTATE classes of what is wrong with a value (22) or exceeds what the database can hold (54). */
function isAboutOneRow(error: unknown): boolean {
  const state = peek(error, 'code')
  return typeof state === 'string' && /^(?:22|54)...$/.test(state)
}
