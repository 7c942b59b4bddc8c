import { Worker } from 'node:worker_threads'
import { MAX_MESSAGE } from '../call/render.js'
import { after, requireTimeLimit } from '../call/timers.js'
import { requirePackages } from './required-packages.js'

/** Problem in the program of a model. The program does not run: the model reads the problem and corrects the program. */
export interface ProgramIssue {
  /** Line in the program, starting at 1. */
  readonly line: number
  readonly message: string
  /** Declaration of the called function. Absent for a problem outside of calls. */
  readonly signature?: string
}

/** Result of {@link ProgramChecker.check}: the program as JavaScript, or the problems that prevent the run of the program. */
export type CheckedProgram =
  | {
      readonly ok: true /** The program as JavaScript: an async function without arguments. */
      readonly javascript: string
    }
  | { readonly ok: false; readonly issues: readonly ProgramIssue[] }

/** Checks TypeScript programs of models before the sandbox runs them. */
export interface ProgramChecker {
  /**
   * Checks a program against the declarations that `apiDeclarations` returns. `codeMode` appends the types of caught errors to these declarations, so
   * that a comparison of `error.reason` in the program narrows `error.data`.
   *
   * @throws {Error} if the checker cannot run
   */
  check(declarations: string, code: string): Promise<CheckedProgram>
  /** Ends the worker thread of the checker. */
  close(): Promise<void>
}

/** Options for {@link typescriptChecker}: the time limit of a check. */
export interface TypescriptCheckerOptions {
  /**
   * Time limit of one check, in milliseconds, without the start of the thread. The checker rejects a program if the check takes longer.
   * `Infinity` removes the limit. Default: 20,000.
   */
  readonly timeLimitMs?: number
}

export interface CheckRequest {
  readonly declarations: string
  readonly code: string
}

/** The first message of the thread is `loaded`. Each later message is the reply to the last request. */
export type CheckerMessage = 'loaded' | CheckedProgram

/**
 * Creates a checker that runs the TypeScript compiler in a worker thread. The thread starts with the first check. The compiler then uses
 * about 220 MB of memory. Install `typescript` 5.9 or 6. With TypeScript 7, also install `@typescript/typescript6`.
 *
 * The checker reports type errors, and also rejects:
 *
 * - `any` and type assertions
 * - imports and undeclared globals
 * - properties that a tool does not accept
 * - promises without `await`
 *
 * Programs can use the ES2024 library without `Intl`, `Proxy` and `Reflect`.
 *
 * @throws {RangeError} if `timeLimitMs` is not a positive number
 * @throws {Error} if the compiler is not installed
 * @example
 * const checker = typescriptChecker({ timeLimitMs: 5_000 })
 */
export function typescriptChecker({ timeLimitMs = 20_000 }: TypescriptCheckerOptions = {}): ProgramChecker {
  requireTimeLimit('typescriptChecker: `timeLimitMs`', timeLimitMs)
  requirePackages('typescriptChecker', ['checker'])
  return new TypescriptChecker(timeLimitMs)
}

interface Compiler {
  readonly worker: Worker
  readonly loaded: Promise<void>
}

class TypescriptChecker implements ProgramChecker {
  readonly #timeLimitMs: number
  #compiler: Compiler | undefined
  /** Checks run one after the other, so that the time limit applies to each check. */
  #queue: Promise<unknown> = Promise.resolve()
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
    await this.#compiler?.worker.terminate()
  }

  async #checkNext(declarations: string, code: string): Promise<CheckedProgram> {
    if (this.#isClosed) throw closedError()
    this.#compiler ??= this.#start()
    const { worker, loaded } = this.#compiler
    worker.ref()
    try {
      await loaded
      return await this.#reply(worker, { declarations, code })
    } finally {
      worker.unref()
    }
  }

  #reply(worker: Worker, request: CheckRequest): Promise<CheckedProgram> {
    let release = (): void => undefined
    const reply = new Promise<CheckedProgram>((resolve, reject) => {
      const exit = (): void => reject(closedError())
      const stopTimer = after(this.#timeLimitMs, () => {
        resolve({ ok: false, issues: [{ line: 1, message: lateMessage }] })
        this.#end(worker)
      })
      release = () => {
        stopTimer()
        worker.off('message', resolve).off('error', reject).off('exit', exit)
      }
      worker.on('message', resolve).on('error', reject).on('exit', exit)
      worker.postMessage(request)
    })
    return reply.finally(release)
  }

  #start(): Compiler {
    const worker = new Worker(new URL('./checker-worker.js', import.meta.url), { execArgv: [] })
    worker.once('exit', () => this.#end(worker))
    const loaded = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      // This listener also handles errors between checks. An error without a listener would end this process.
      worker.once('error', reject)
      worker.once('exit', () => reject(closedError()))
    })
    return { worker, loaded }
  }

  #end(worker: Worker): void {
    if (this.#compiler?.worker === worker) this.#compiler = undefined
    void worker.terminate()
  }
}

const lateMessage = 'The check of the program takes too long. Simplify the program.'
const closedError = (): Error => new Error('The checker was closed.')

export function issuesHint(
  issues: readonly ProgramIssue[],
  intro: string = 'The program was not run.',
  longest: number = MAX_MESSAGE,
): string {
  const shown = issues.slice(0, 3)
  const rest = issues.length - shown.length
  const more = rest > 0 ? `\n(${rest} more)` : ''
  const space = Math.floor((longest - intro.length - more.length) / shown.length) - 1
  const lines = shown.map(({ line, message, signature }) => {
    const start = `Line ${line}: ${clipped(shortened(message), signature === undefined ? space - 12 : Math.floor(space * 0.6))}`
    return signature === undefined
      ? start
      : `${start} ${clipped(signature.replace('function ', ''), space - start.length - 1)}`
  })
  return `${intro}\n${lines.join('\n')}${more}`
}

/** Without this function, truncating a message could remove the names and suggestions that follow a long object type. */
const shortened = (message: string): string => message.replaceAll(/'\{ [^']{80,}? \}(\[\])?'/g, "'{ … }$1'")

const clipped = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`
