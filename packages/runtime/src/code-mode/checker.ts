import { Worker } from 'node:worker_threads'
import type { CheckedProgram } from './check-program.js'

/** Checks programs before they run. */
export interface ProgramChecker {
  /**
   * Checks a program against declarations of `apiDeclarations`.
   *
   * @throws {Error} if the checker cannot run
   */
  check(declarations: string, code: string): Promise<CheckedProgram>
  /** Ends the thread of the checker. */
  close(): Promise<void>
}

/** Options for {@link typescriptChecker}. */
export interface TypescriptCheckerOptions {
  /** Time limit of one check, in milliseconds. A program whose check takes longer is rejected. Default: 10,000. */
  readonly timeLimitMs?: number
}

export interface CheckRequest {
  readonly id: number
  readonly declarations: string
  readonly code: string
}

export type CheckReply =
  | { readonly id: number; readonly checked: CheckedProgram }
  | { readonly id: number; readonly error: string }

/**
 * Creates a checker that uses the compiler of TypeScript in a worker thread. The thread starts with the first check and keeps the compiler in
 * memory, about 220 MB. Install `typescript`, version 5.9 or 6.
 *
 * @throws {RangeError} if `timeLimitMs` is not a positive number
 * @example
 * const checker = typescriptChecker({ timeLimitMs: 5_000 })
 */
export function typescriptChecker({ timeLimitMs = 10_000 }: TypescriptCheckerOptions = {}): ProgramChecker {
  if (!(timeLimitMs > 0))
    throw new RangeError(`typescriptChecker: \`timeLimitMs\` is ${timeLimitMs}; use a positive number.`)
  return new TypescriptChecker(timeLimitMs)
}

interface Waiting {
  readonly resolve: (checked: CheckedProgram) => void
  readonly reject: (error: Error) => void
}

class TypescriptChecker implements ProgramChecker {
  readonly #timeLimitMs: number
  #worker: Worker | undefined
  /** Checks run one after the other, so that the time limit applies to each. */
  #queue: Promise<unknown> = Promise.resolve()
  #waiting: (Waiting & { readonly id: number }) | undefined
  #lastId = 0
  #isClosed = false

  constructor(timeLimitMs: number) {
    this.#timeLimitMs = timeLimitMs
  }

  check(declarations: string, code: string): Promise<CheckedProgram> {
    const checked = this.#queue.then(() => this.#checkNext(declarations, code))
    this.#queue = checked.catch(() => undefined)
    return checked
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    this.#end(new Error('The checker was closed.'))
    await worker?.terminate()
  }

  async #checkNext(declarations: string, code: string): Promise<CheckedProgram> {
    if (this.#isClosed) throw new Error('The checker was closed.')
    this.#worker ??= this.#newWorker()
    const worker = this.#worker
    worker.ref()
    this.#lastId += 1
    const id = this.#lastId
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = { id, resolve, reject }
        timer = setTimeout(() => {
          resolve({
            ok: false,
            issues: [{ line: 1, message: 'The check of the program takes too long. Simplify the program.' }],
          })
          this.#end(new Error('The check of the program took too long.'))
          void worker.terminate()
        }, this.#timeLimitMs)
        worker.postMessage({ id, declarations, code } satisfies CheckRequest)
      })
    } finally {
      clearTimeout(timer)
      this.#waiting = undefined
      worker.unref()
    }
  }

  #newWorker(): Worker {
    const worker = new Worker(new URL('./checker-worker.js', import.meta.url), { stdin: false })
    worker.on('message', (reply: CheckReply) => {
      if (this.#waiting?.id !== reply.id) return
      if ('checked' in reply) this.#waiting.resolve(reply.checked)
      else this.#waiting.reject(new Error(reply.error))
    })
    worker.on('error', (error) => this.#end(loadError(error)))
    return worker
  }

  #end(error: Error): void {
    this.#worker = undefined
    this.#waiting?.reject(error)
  }
}

function loadError(error: Error): Error {
  const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isMissing
    ? new Error('Programs are checked with TypeScript: run `npm install typescript@5.9`.', { cause: error })
    : error
}
