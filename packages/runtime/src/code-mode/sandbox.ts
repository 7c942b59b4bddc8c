import type { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import process from 'node:process'
import { Worker } from 'node:worker_threads'
import { after } from '../call/timers.js'
import type { JsonValue } from '../types/json.js'
import { finiteLimits, requireProgramLimits, requireSandboxOptions, type SandboxLimits } from './limits.js'
import { LATE, ProgramProcess } from './program-process.js'
import { requirePackages } from './required-packages.js'

/** Program that a {@link Sandbox} runs, with its limits. */
export interface SandboxProgram {
  /** JavaScript that declares the async function `program`. */
  readonly javascript: string
  /** Functions that the program can call, e.g. `orders.getOrder`. */
  readonly paths: readonly string[]
  /** Time that `Date` returns, in milliseconds since 1970. */
  readonly now: number
  /** Seed of `Math.random`: a 32-bit integer. */
  readonly seed: number
  readonly limits: SandboxLimits
  readonly signal?: AbortSignal
  /**
   * Journal of a suspended program that continues: the program runs again with the recorded replies, and these calls are not executed.
   * Absent for a new program.
   */
  readonly journal?: SandboxJournal
}

/** Calls of a program that was suspended, and the replies that it received. */
export interface SandboxJournal {
  /** All calls, in the order in which the program made them. */
  readonly calls: readonly { readonly path: string; readonly json: string }[]
  /** Replies in the order in which the program received them. `call` is an index in `calls`. */
  readonly replies: readonly { readonly call: number; readonly reply: SandboxReply }[]
}

/** Reply to a call: the result as JSON, or an error that the program can catch. */
export type SandboxReply =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false
      readonly message: string
      readonly hint?: string
      /** Name of a declared failure. The error that the program receives has this name as `reason`. */
      readonly reason?: string
      /** Data of a declared failure. */
      readonly data?: JsonValue
    }

/**
 * Reason why a program failed. `error`: it threw an error, or waits for something that never happens. `time`, `memory`, `calls`, `result`:
 * it exceeded this limit. `unawaited`: it ended while calls were running. `cancelled`: the signal was aborted, or the sandbox was closed.
 * `crashed`: its thread or process ended.
 */
export type SandboxFailure =
  | 'error'
  | 'time'
  | 'memory'
  | 'calls'
  | 'result'
  | 'unawaited'
  | 'cancelled'
  /** The sandbox cannot start because a package is missing. */
  | 'unavailable'
  | 'crashed'
  /** The program did not repeat the calls that its journal records. The message contains the first difference. */
  | 'replay'

/** Outcome of {@link Sandbox.run}: the returned value, a failure, or `suspended`. */
export type SandboxOutcome = { /** Lines that the program wrote to `console`. */ readonly logs: readonly string[] } & (
  | { readonly status: 'completed' /** The returned value as JSON. */; readonly json: string }
  | { readonly status: 'failed'; readonly reason: SandboxFailure; readonly message: string; readonly hint?: string }
  /** The program waits for replies to suspended calls. */
  | { readonly status: 'suspended' }
)

/**
 * Executes a call of a program. Never rejects. Resolves with `suspended` if the reply comes much later, possibly after the end of the
 * process.
 *
 * @param index index of the function in `paths`
 * @param signal aborted when the program ends
 * @param number index of the call among all calls of the program
 */
export type ExecuteCall = (
  index: number,
  json: string,
  signal: AbortSignal,
  number: number,
) => Promise<SandboxReply | 'suspended'>

/** Runs untrusted programs. A program can only compute and call functions. */
export interface Sandbox {
  /**
   * Runs a program. Rejects only if a limit is invalid. The program receives the replies in the order in which the
   * promises of `call` resolve. After each reply, the program continues until it waits again. Therefore, the same
   * replies in the same order lead to the same calls.
   *
   * @param call executes a call. Not called for calls that have a reply in the journal
   */
  run(program: SandboxProgram, call: ExecuteCall): Promise<SandboxOutcome>
  /** Ends the threads of the sandbox. Running programs end as `cancelled`. */
  close(): Promise<void>
}

/** Options for {@link quickJsSandbox} and {@link isolatedVmSandbox}: the memory of programs, and the number of idle threads. */
export interface SandboxOptions {
  /**
   * Maximum memory of one program in MiB, including strings and typed arrays: from 16 to 2048, in `isolatedVmSandbox` from 8 to 4096.
   * Default: 64.
   */
  readonly memoryMiB?: number
  /**
   * Maximum number of threads (in `isolatedVmSandbox`: processes) that are kept for further programs after their program has ended.
   * Default: 1.
   */
  readonly idle?: number
}

export type StartedProgram = Omit<SandboxProgram, 'signal' | 'journal'> & {
  readonly journal?: { readonly calls: SandboxJournal['calls']; readonly replies: readonly WorkerReply[] }
}

/** Message of the host to a thread or process. */
export type ToWorker =
  | ({ readonly type: 'start' } & StartedProgram)
  | { readonly type: 'replies'; readonly replies: readonly WorkerReply[] }
  /** Asks whether the program waits only for suspended calls. `open` is the number of its calls without a reply. */
  | { readonly type: 'suspend'; readonly open: number }

export type WorkerReply = readonly [id: number, isOk: boolean, json: string]

/** Message of a thread or process to the host. */
export type FromWorker =
  /** Sent after `completed` or `suspended`, when the thread can run another program. */
  | { readonly type: 'ready'; readonly isReusable: boolean }
  | { readonly type: 'calls'; readonly calls: readonly (readonly [id: number, index: number, json: string])[] }
  | { readonly type: 'completed'; readonly json: string; readonly logs: readonly string[] }
  | { readonly type: 'suspended'; readonly logs: readonly string[] }
  | {
      readonly type: 'failed'
      readonly reason: SandboxFailure
      readonly message: string
      readonly hint?: string
      readonly logs: readonly string[]
    }

/**
 * Creates a sandbox that runs programs in QuickJS, compiled to WebAssembly, in worker threads. Programs have no input, output, timers or
 * modules; their memory, time, calls and output are limited. `Date` returns the start time of the program, and `Math.random` has a seed, so
 * that a continued program gets the same values. Install `quickjs-emscripten`.
 *
 * @throws {RangeError} if an option is invalid
 * @throws {Error} if `quickjs-emscripten` is not installed
 * @example
 * const sandbox = quickJsSandbox({ memoryMiB: 32 })
 */
export function quickJsSandbox({ memoryMiB = 64, idle = 1 }: SandboxOptions = {}): Sandbox {
  // The module of QuickJS declares this range.
  requireSandboxOptions('quickJsSandbox', memoryMiB, idle, [16, 2_048])
  requirePackages('quickJsSandbox', ['sandbox'])
  shared.quickJs ??= compileQuickJs()
  const module = new URL('./quickjs-worker.js', import.meta.url)
  const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
  const newRunner = (): Runner =>
    new Worker(module, { workerData: { memoryMiB }, env: {}, execArgv: [], resourceLimits })
  return new RunnerSandbox(newRunner, 'Programs run in QuickJS: run `npm install quickjs-emscripten`.', idle)
}

/** Type of the global `WebAssembly`, with the member that this file uses. TypeScript declares it only with the types of browsers. */
declare const WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<object> }

/**
 * The compiled module of QuickJS, which nothing reads. While it exists, V8 shares its machine code with all threads of the process. Otherwise
 * each new thread compiles QuickJS again, which needs most of the time of its first program.
 */
const shared: { quickJs?: Promise<object | undefined> } = {}

async function compileQuickJs(): Promise<object | undefined> {
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('quickjs-emscripten'))
    return await WebAssembly.compile(await readFile(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
  } catch {
    // The file is elsewhere, for example in another version of the package: the threads find it, and compile it.
    return undefined
  }
}

/**
 * Creates a sandbox with the limits of {@link quickJsSandbox} that runs programs in V8, in separate processes. Programs compute much
 * faster, but a process needs more time to start and more memory. Needs Node 24 or later. Install `isolated-vm`.
 *
 * @throws {RangeError} if an option is invalid
 * @throws {Error} in earlier versions of Node, or if `isolated-vm` is not installed
 * @example
 * const sandbox = isolatedVmSandbox({ memoryMiB: 32 })
 */
export function isolatedVmSandbox({ memoryMiB = 64, idle = 1 }: SandboxOptions = {}): Sandbox {
  requireSandboxOptions('isolatedVmSandbox', memoryMiB, idle, [8, 4_096])
  if (Number.parseInt(process.versions.node, 10) < 24) {
    throw new Error(
      `isolatedVmSandbox needs Node 24 or later, and this is Node ${process.versions.node}. Use quickJsSandbox.`,
    )
  }
  requirePackages('isolatedVmSandbox', ['v8Sandbox'])
  const module = new URL('./isolated-vm-process.js', import.meta.url)
  return new RunnerSandbox(() => new ProgramProcess(module, memoryMiB), 'Run `npm install isolated-vm`.', idle)
}

/** Thread or process that runs programs, one at a time. */
type Runner = Pick<Worker, 'postMessage' | 'terminate' | 'ref' | 'unref'> & Pick<EventEmitter, 'on' | 'off'>

/** Sandbox that runs programs in threads or processes. */
class RunnerSandbox implements Sandbox {
  readonly #newRunner: () => Runner
  /** Message for programs if the package of the engine is missing. */
  readonly #missing: string
  readonly #idleLimit: number
  readonly #idle: Runner[] = []
  readonly #running = new Set<ProgramRun>()
  #isClosed = false

  constructor(newRunner: () => Runner, missing: string, idle: number) {
    this.#newRunner = newRunner
    this.#missing = missing
    this.#idleLimit = idle
  }

  async run(program: SandboxProgram, call: ExecuteCall): Promise<SandboxOutcome> {
    const limits = requireProgramLimits(program.limits)
    if (this.#isClosed) return { status: 'failed', reason: 'cancelled', message: 'The sandbox is closed.', logs: [] }
    const worker = this.#idle.pop() ?? this.#newWorker()
    const run = new ProgramRun(worker, this.#missing, { ...program, limits }, call)
    this.#running.add(run)
    const outcome = await run.outcome
    this.#running.delete(run)
    // After a failure, the thread is not used again: its memory can be full, or its program still runs.
    if (run.isReusable && !this.#isClosed && this.#idle.length < this.#idleLimit) {
      worker.unref()
      this.#idle.push(worker)
    } else {
      await worker.terminate()
    }
    return outcome
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const run of this.#running) run.cancel('The sandbox was closed.')
    await Promise.all(this.#idle.splice(0).map((worker) => worker.terminate()))
  }

  #newWorker(): Runner {
    const worker = this.#newRunner()
    // The program that runs handles errors. An error without a listener would end the process.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      const at = this.#idle.indexOf(worker)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    return worker
  }
}

/** One program in one thread or process. */
class ProgramRun {
  readonly outcome: Promise<SandboxOutcome>
  /** True if the worker can run another program. */
  isReusable = false
  readonly #worker: Runner
  readonly #missing: string
  readonly #program: SandboxProgram
  readonly #call: ExecuteCall
  readonly #ended = new AbortController()
  readonly #waiting: (readonly [id: number, index: number, json: string])[] = []
  /**
   * Outcome of a program that has ended or was suspended. The outcome is kept until the thread is ready for the next
   * program.
   */
  #completed: SandboxOutcome | undefined
  #active = 0
  #suspended = 0
  #replies: WorkerReply[] = []
  #resolve: (outcome: SandboxOutcome) => void = () => undefined

  constructor(worker: Runner, missing: string, program: SandboxProgram, call: ExecuteCall) {
    this.#worker = worker
    this.#missing = missing
    this.#program = program
    this.#call = call
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve
    })
    const { signal, journal, ...rest } = program
    const parts = { ...rest, limits: finiteLimits(program.limits) }
    const { totalMs } = program.limits
    const started: StartedProgram = journal === undefined ? parts : { ...parts, journal: workerJournal(journal) }
    worker.ref()
    worker.on('message', this.#receive)
    worker.on('error', this.#crash)
    worker.on('exit', this.#exit)
    const stopTimer = totalMs > 0 ? after(totalMs, () => this.#fail('time', '')) : undefined
    const abort = (): void => this.cancel('The program was cancelled.')
    signal?.addEventListener('abort', abort)
    this.#ended.signal.addEventListener('abort', () => {
      stopTimer?.()
      signal?.removeEventListener('abort', abort)
      worker.off('message', this.#receive).off('error', this.#crash).off('exit', this.#exit)
    })
    if (signal?.aborted) abort()
    else if (stopTimer === undefined) this.#fail('time', '')
    else worker.postMessage({ type: 'start', ...started } satisfies ToWorker)
  }

  cancel(message: string): void {
    this.#fail('cancelled', message)
  }

  readonly #receive = (message: FromWorker): void => {
    switch (message.type) {
      case 'calls':
        this.#waiting.push(...message.calls)
        this.#startCalls()
        return
      case 'completed':
        this.#completed = { status: 'completed', json: message.json, logs: message.logs }
        return
      case 'ready':
        this.isReusable = message.isReusable
        this.#end(this.#completed)
        return
      case 'suspended':
        this.#completed = { status: 'suspended', logs: message.logs }
        return
      default: {
        const { type: status, ...facts } = message
        this.#end({ status, ...facts })
      }
    }
  }

  readonly #crash = (error: Error): void => {
    const code = 'code' in error ? error.code : undefined
    if (code === 'ERR_MODULE_NOT_FOUND') this.#fail('unavailable', this.#missing)
    else this.#fail(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crashed', error.message)
  }

  readonly #exit = (_: unknown, signal?: unknown): void => {
    // V8 aborts the process if the memory is so full that the program cannot be stopped in time.
    const isFull = signal === 'SIGABRT' || signal === 'SIGTRAP'
    const reason = signal === LATE ? 'time' : isFull ? 'memory' : 'crashed'
    this.#fail(reason, 'The thread or process of the program ended.')
  }

  #startCalls(): void {
    while (this.#active < this.#program.limits.parallel) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#active += 1
      void this.#execute(...next)
    }
  }

  async #execute(id: number, index: number, json: string): Promise<void> {
    const reply = await this.#call(index, json, this.#ended.signal, id - 1)
    if (this.#ended.signal.aborted) return
    this.#active -= 1
    if (reply === 'suspended') this.#suspended += 1
    else {
      // Replies that arrive together are sent together.
      if (this.#replies.length === 0) queueMicrotask(() => this.#sendReplies())
      this.#replies.push(workerReply(id, reply))
    }
    this.#startCalls()
    this.#suspendIfIdle()
  }

  /** If only suspended calls have no reply, asks the thread whether the program waits for exactly these calls. */
  #suspendIfIdle(): void {
    if (this.#active > 0 || this.#suspended === 0 || this.#replies.length > 0) return
    this.#worker.postMessage({ type: 'suspend', open: this.#suspended } satisfies ToWorker)
  }

  #sendReplies(): void {
    if (this.#ended.signal.aborted) return
    this.#worker.postMessage({ type: 'replies', replies: this.#replies } satisfies ToWorker)
    this.#replies = []
    this.#suspendIfIdle()
  }

  /** Ends the program with a failure. If the program has already ended and only its thread failed, keeps its outcome. */
  #fail(reason: SandboxFailure, message: string): void {
    this.#end(this.#completed ?? { status: 'failed', reason, message, logs: [] })
  }

  #end(outcome: SandboxOutcome | undefined): void {
    this.#ended.abort()
    if (outcome !== undefined) this.#resolve(outcome)
  }
}

function workerJournal({ calls, replies }: SandboxJournal): NonNullable<StartedProgram['journal']> {
  return { calls, replies: replies.map(({ call, reply }) => workerReply(call + 1, reply)) }
}

function workerReply(id: number, reply: SandboxReply): WorkerReply {
  if (reply.ok) return [id, true, reply.json]
  const { ok: _, ...error } = reply
  return [id, false, JSON.stringify(error)]
}
