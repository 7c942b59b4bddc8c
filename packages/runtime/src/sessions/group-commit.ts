import { peek } from '../call/tool-failure.js'

/** Change of one session. */
export interface Change {
  /** Id of the session. Two changes of one session are written one after the other. */
  readonly row: string
  /** Row of the session as JSON. */
  readonly json: string
  /** Rows of entries to write, each as JSON. */
  readonly added?: readonly string[] | undefined
  /** Keys of rows of entries to delete, each as JSON. */
  readonly removed?: readonly string[] | undefined
}

/**
 * Writes changes of different sessions in one statement that waits for a lock for at most `lockTimeoutMs`. Resolves with the
 * sessions that were changed.
 */
type WriteAll = (changes: readonly Change[], lockTimeoutMs: number) => Promise<ReadonlySet<string>>

/** Counts the changes of a failed statement that are then written one by one. */
interface Trial {
  succeeded: number
  failed: number
}

interface Waiting extends Change {
  readonly length: number
  resolve(isDone: boolean): void
  reject(error: unknown): void
  /** Present after a statement with this change and others has failed. */
  trial: Trial | undefined
}

/** Limits of one statement with several changes: their number, and their length in UTF-16 code units. */
const MAX_CHANGES = 256
const MAX_LENGTH = 1_000_000

/** A longer change is written alone, so that shorter ones do not wait for it. */
const MAX_SHARED_LENGTH = 64_000

/** Maximum number of statements with a single change that run beside the statement with several changes. */
const MAX_ALONE = 3

/** A statement with several changes gives up a locked row early: the changes are then written one by one. */
const LOCK_TIMEOUT_MS = { shared: 100, alone: 1_000 }

type Reason = 'locked' | 'timeout' | 'row'

/**
 * Number of changes of a trial that may fail while none succeeds. After that the cause is the database and not a row, and the
 * others fail without a statement of their own.
 */
const MAX_FAILED: Readonly<Record<Reason, number>> = { locked: 4 * MAX_ALONE, timeout: MAX_ALONE, row: MAX_CHANGES }

/** Maximum number of sessions that are remembered because their last change failed. */
const MAX_SUSPECTS = 1_000

/**
 * Joins changes of many sessions in few statements: a database commits many rows in little more time than one.
 *
 * One statement with several changes runs at a time; changes that arrive meanwhile go into the next one. Up to three more
 * statements run beside it, each with a single change that could delay or fail the others: a long one, one whose shared
 * statement failed, or one of a session whose last change failed.
 */
export class GroupCommit {
  readonly #writeAll: WriteAll
  readonly #writing = new Set<string>()
  readonly #suspects = new Set<string>()
  #waiting: Waiting[] = []
  #isScheduled = false
  #isSharing = false
  #alone = 0

  constructor(writeAll: WriteAll) {
    this.#writeAll = writeAll
  }

  /** Resolves with `true` when the change is committed; rejects with the error of its statement. */
  write({ row, json, added, removed }: Change): Promise<boolean> {
    const length = added === undefined ? json.length : added.reduce((sum, entry) => sum + entry.length, json.length)
    return new Promise((resolve, reject) => {
      // Without a spread, which takes longer than everything else here.
      this.#waiting.push({ row, json, added, removed, length, resolve, reject, trial: undefined })
      this.#schedule()
    })
  }

  /** Changes that arrive in the same turn join the same statement. */
  #schedule(): void {
    if (this.#isScheduled || (this.#isSharing && this.#alone === MAX_ALONE)) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#start()
    })
  }

  /** Starts every statement that may start, with the changes that wait longest. Changes of one session keep their order. */
  #start(): void {
    const shared: Waiting[] = []
    const alone: Waiting[] = []
    const rest: Waiting[] = []
    const earlier = new Set<string>()
    let length = 0
    for (const waiting of this.#waiting) {
      const { row } = waiting
      const isFree = !this.#writing.has(row) && !earlier.has(row)
      earlier.add(row)
      if (isFree && this.#goesAlone(waiting)) {
        // Sessions that failed before leave one statement to others.
        const max = this.#suspects.has(row) ? MAX_ALONE - 1 : MAX_ALONE
        if (this.#alone + alone.length < max) alone.push(waiting)
        else rest.push(waiting)
      } else if (
        isFree &&
        !this.#isSharing &&
        shared.length < MAX_CHANGES &&
        (shared.length === 0 || length + waiting.length <= MAX_LENGTH)
      ) {
        shared.push(waiting)
        length += waiting.length
      } else rest.push(waiting)
    }
    this.#waiting = rest
    if (shared.length > 0) {
      this.#isSharing = true
      void this.#commit(shared, LOCK_TIMEOUT_MS.shared).then(() => {
        this.#isSharing = false
        this.#schedule()
      })
    }
    for (const waiting of alone) {
      this.#alone += 1
      void this.#commit([waiting], LOCK_TIMEOUT_MS.alone).then(() => {
        this.#alone -= 1
        this.#schedule()
      })
    }
  }

  #goesAlone({ row, length, trial }: Waiting): boolean {
    return trial !== undefined || length > MAX_SHARED_LENGTH || this.#suspects.has(row)
  }

  /** Never rejects. */
  async #commit(batch: readonly Waiting[], lockTimeoutMs: number): Promise<void> {
    for (const { row } of batch) this.#writing.add(row)
    try {
      const changed = await this.#writeAll(batch, lockTimeoutMs)
      for (const { row, trial, resolve } of batch) {
        if (trial !== undefined) trial.succeeded += 1
        this.#suspects.delete(row)
        resolve(changed.has(row))
      }
    } catch (error) {
      this.#failed(batch, error)
    }
    for (const { row } of batch) this.#writing.delete(row)
  }

  #failed(batch: readonly Waiting[], error: unknown): void {
    const reason = reasonOf(error)
    const [first, ...others] = batch
    if (reason === undefined || first === undefined) {
      for (const { reject } of batch) reject(error)
      return
    }
    if (others.length > 0 || (reason === 'locked' && !this.#goesAlone(first))) {
      // The state of one session must not keep the others from being stored.
      const trial: Trial = { succeeded: 0, failed: 0 }
      for (const waiting of batch) waiting.trial = trial
      this.#waiting = [...batch, ...this.#waiting]
      return
    }
    const { row, trial, reject } = first
    this.#suspects.add(row)
    const [oldest] = this.#suspects
    if (this.#suspects.size > MAX_SUSPECTS && oldest !== undefined) this.#suspects.delete(oldest)
    reject(error)
    if (trial === undefined) return
    trial.failed += 1
    if (trial.succeeded > 0 || trial.failed < MAX_FAILED[reason]) return
    const left = this.#waiting.filter((waiting) => waiting.trial === trial)
    this.#waiting = this.#waiting.filter((waiting) => waiting.trial !== trial)
    for (const waiting of left) waiting.reject(error)
  }
}

/**
 * Returns why a statement failed if one of its rows can be the cause. SQLSTATE classes: a value (22), a constraint (23) or
 * trigger (P0) of the application, a conflict with another transaction (40), a limit of the database (54).
 */
function reasonOf(error: unknown): Reason | undefined {
  const state = peek(error, 'code')
  if (state === '55P03') return 'locked'
  // `statement_timeout` cancels the query too.
  if (state === '57014' || state === 'ETIMEDOUT' || peek(error, 'name') === 'TimeoutError') return 'timeout'
  if (typeof state === 'string' && /^(?:22|23|40|54|P0)...$/.test(state)) return 'row'
  // Timeouts of drivers have no code.
  const message = peek(error, 'message')
  return typeof message === 'string' && /\btime(?:d )?-?out\b/i.test(message) ? 'timeout' : undefined
}
