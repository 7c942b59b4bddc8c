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

/** Program for {@link Sandbox.run}: code, functions and limits. */
export interface SandboxProgram {
  /** JavaScript code that declares the async function `program`. */
  readonly javascript: string
  /** Names of the functions that the program can call, e.g. `orders.getOrder`. */
  readonly paths: readonly string[]
  /** Time that `Date` returns in the program, in milliseconds since the Unix epoch. */
  readonly now: number
  /** Seed of `Math.random`: a 32-bit integer. */
  readonly seed: number
  readonly limits: SandboxLimits
  readonly signal?: AbortSignal
  /**
   * Recorded calls and replies of a suspended program. The program runs again and receives the recorded replies. The sandbox does not execute
   * the recorded calls again. Absent for a new program.
   */
  readonly journal?: SandboxJournal
}

/** Recorded calls of a suspended program, with the replies that the program received. */
export interface SandboxJournal {
  /** All calls of the program, in the order in which the program made the calls. */
  readonly calls: readonly { readonly path: string; readonly json: string }[]
  /** Replies, in the order in which the program received the replies. `call` is an index in `calls`. */
  readonly replies: readonly { readonly call: number; readonly reply: SandboxReply }[]
}

/** Reply to a call of a program: the result as JSON, or an error that the program can catch. */
export type SandboxReply =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false
      readonly message: string
      readonly hint?: string
      /** Name of a declared failure. The program reads the name in the property `reason` of the error. */
      readonly reason?: string
      /** Data of a declared failure. Absent for other errors. */
      readonly data?: JsonValue
    }

/**
 * Reason why a program failed:
 *
 * - `error`: the program threw an error, or waits for a promise that never settles
 * - `time`, `memory`, `calls`, `result`: the program exceeded this limit
 * - `unawaited`: the program ended before its calls had ended
 * - `cancelled`: the application aborted the signal or closed the sandbox
 * - `unavailable`: a package of the sandbox is missing
 * - `crashed`: the thread or process of the program ended
 * - `replay`: the resumed program did not repeat the recorded calls
 */
export type SandboxFailure =
  | 'error'
  | 'time'
  | 'memory'
  | 'calls'
  | 'result'
  | 'unawaited'
  | 'cancelled'
  /** A package of the sandbox is missing. */
  | 'unavailable'
  | 'crashed'
  /** The resumed program did not repeat the recorded calls. The error message contains the first difference. */
  | 'replay'

/** Result of {@link Sandbox.run}: the returned value, a failure, or `suspended`. */
export type SandboxOutcome = { /** Lines that the program wrote to `console`. */ readonly logs: readonly string[] } & (
  | { readonly status: 'completed' /** The returned value as JSON. */; readonly json: string }
  | { readonly status: 'failed'; readonly reason: SandboxFailure; readonly message: string; readonly hint?: string }
  /** The program waits for the replies to suspended calls, and has no other work. */
  | { readonly status: 'suspended' }
)

/**
 * Executes a tool call of a program. Never rejects. Returns `suspended` for a call that cannot end now, for example because the call needs an
 * approval.
 *
 * @param index index of the function in `paths` of the program
 * @param json arguments of the call as JSON
 * @param signal signal that the sandbox aborts at the end of the program
 * @param number index of the call among all calls of the program
 */
export type ExecuteCall = (
  index: number,
  json: string,
  signal: AbortSignal,
  number: number,
) => Promise<SandboxReply | 'suspended'>

/** Runs untrusted programs. A program can only compute, and call the functions that {@link SandboxProgram.paths} lists. */
export interface Sandbox {
  /**
   * Runs a program. Rejects only for an invalid limit. The program receives replies in the order in which `call` resolves, and processes each
   * reply before the next. The same replies in the same order therefore always lead to the same calls.
   *
   * @param call function that executes a call. The sandbox does not use `call` for calls with a recorded reply
   */
  run(program: SandboxProgram, call: ExecuteCall): Promise<SandboxOutcome>
  /** Ends the threads or processes of the sandbox. Running programs fail with the reason `cancelled`. */
  close(): Promise<void>
}

/** Options for {@link quickJsSandbox} and {@link isolatedVmSandbox}: memory of programs, and number of idle threads. */
export interface SandboxOptions {
  /**
   * Maximum memory of one program in MiB, including strings and typed arrays. Allowed values: 16 to 2048 in `quickJsSandbox`, 8 to 4096 in
   * `isolatedVmSandbox`. Default: 64.
   */
  readonly memoryMiB?: number
  /** Maximum number of idle threads (in `isolatedVmSandbox`: processes) that the sandbox reuses for later programs. Default: 1. */
  readonly idle?: number
}

export type StartedProgram = Omit<SandboxProgram, 'signal' | 'journal'> & {
  readonly journal?: { readonly calls: SandboxJournal['calls']; readonly replies: readonly WorkerReply[] }
}

export type ToWorker =
  | ({ readonly type: 'start' } & StartedProgram)
  | { readonly type: 'replies'; readonly replies: readonly WorkerReply[] }
  /** `open` is the number of suspended calls. The thread ignores the request if the program waits for a different number of calls. */
  | { readonly type: 'suspend'; readonly open: number }

export type WorkerReply = readonly [id: number, isOk: boolean, json: string]

export type FromWorker =
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
 * Creates a sandbox that runs programs in worker threads, in the JavaScript engine QuickJS. Programs cannot use files, network, timers or
 * modules. The sandbox limits memory, time, calls and output. `Date` returns the start time of the program, and `Math.random` has a fixed
 * seed. A program therefore receives the same values if the program runs again after a suspension. Install `quickjs-emscripten`.
 *
 * @throws {RangeError} if an option is invalid
 * @throws {Error} if `quickjs-emscripten` is not installed
 * @example
 * const sandbox = quickJsSandbox({ memoryMiB: 32 })
 */
export function quickJsSandbox({ memoryMiB = 64, idle = 1 }: SandboxOptions = {}): Sandbox {
  // The WebAssembly module of QuickJS allows this range of memory.
  requireSandboxOptions('quickJsSandbox', memoryMiB, idle, [16, 2_048])
  requirePackages('quickJsSandbox', ['sandbox'])
  shared.quickJs ??= compileQuickJs()
  const module = new URL('./quickjs-worker.js', import.meta.url)
  const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
  const newRunner = (): Runner =>
    new Worker(module, { workerData: { memoryMiB }, env: {}, execArgv: [], resourceLimits })
  return new RunnerSandbox(newRunner, 'Programs run in QuickJS: run `npm install quickjs-emscripten`.', idle)
}

/** TypeScript declares `WebAssembly` only in the browser types. */
declare const WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<object> }

/**
 * No code reads this compiled WebAssembly module of QuickJS. While the module exists, V8 shares its machine code with all threads of the process.
 * Without the module, each new thread would compile QuickJS again, which makes the first program of a thread slow.
 */
const shared: { quickJs?: Promise<object | undefined> } = {}

async function compileQuickJs(): Promise<object | undefined> {
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('quickjs-emscripten'))
    return await WebAssembly.compile(await readFile(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
  } catch {
    // If the file has another path, for example in another version of the package, each thread finds and compiles the file.
    return undefined
  }
}

/**
 * Creates a sandbox that runs programs in separate processes, in the JavaScript engine V8. Programs compute much faster than in {@link
 * quickJsSandbox}, but a process needs more memory and more time to start. Both sandboxes have the same limits. Needs Node 24 or later. Install
 * `isolated-vm`.
 *
 * @throws {RangeError} if an option is invalid
 * @throws {Error} for Node versions before 24, or if `isolated-vm` is not installed
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

type Runner = Pick<Worker, 'postMessage' | 'terminate' | 'ref' | 'unref'> & Pick<EventEmitter, 'on' | 'off'>

class RunnerSandbox implements Sandbox {
  readonly #newRunner: () => Runner
  readonly #missing: string
  readonly #idleLimit: number
  readonly #idle: { readonly worker: Runner; readonly isReusable: Promise<boolean> }[] = []
  readonly #running = new Set<ProgramRun>()
  #isClosed = false

  constructor(newRunner: () => Runner, missing: string, idle: number) {
    this.#newRunner = newRunner
    this.#missing = missing
    this.#idleLimit = idle
  }

  async run(program: SandboxProgram, call: ExecuteCall): Promise<SandboxOutcome> {
    const limits = requireProgramLimits(program.limits)
    const worker = this.#isClosed ? undefined : await this.#take()
    if (worker === undefined || this.#isClosed) {
      await worker?.terminate()
      return { status: 'failed', reason: 'cancelled', message: 'The sandbox is closed.', logs: [] }
    }
    const run = new ProgramRun(worker, this.#missing, { ...program, limits }, call)
    this.#running.add(run)
    const outcome = await run.outcome
    this.#running.delete(run)
    // Ends the thread after a failure, because its memory can be full, or its program can still run.
    if (outcome.status === 'failed' || this.#isClosed || this.#idle.length >= this.#idleLimit) await worker.terminate()
    else this.#reuse(worker, run.isReusable)
    return outcome
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const run of this.#running) run.cancel('The sandbox was closed.')
    await Promise.all(this.#idle.splice(0).map(({ worker }) => worker.terminate()))
  }

  async #take(): Promise<Runner> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      idle.worker.ref()
      if (await idle.isReusable) return idle.worker
    }
    return this.#newWorker()
  }

  /** The thread frees the memory of the program after the end of the program. */
  #reuse(worker: Runner, isReusable: Promise<boolean>): void {
    worker.unref()
    this.#idle.push({ worker, isReusable })
    void isReusable.then((is) => (is ? undefined : worker.terminate()))
  }

  #newWorker(): Runner {
    const worker = this.#newRunner()
    // Ignores errors between programs. An error without a listener would end this process. `ProgramRun` handles errors of a program.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      const at = this.#idle.findIndex((idle) => idle.worker === worker)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    return worker
  }
}

/** A constant, because the creation of the reason takes longer than the rest of `abort`. */
const ended = new DOMException('The program has ended.', 'AbortError')

class ProgramRun {
  readonly outcome: Promise<SandboxOutcome>
  /** Resolves after a completed or suspended program, when the thread has freed its memory or has ended. */
  readonly isReusable: Promise<boolean>
  readonly #worker: Runner
  readonly #missing: string
  readonly #limits: SandboxLimits
  readonly #call: ExecuteCall
  readonly #calls = new AbortController()
  readonly #waiting: (readonly [id: number, index: number, json: string])[] = []
  #isOver = false
  #active = 0
  #suspended = 0
  #replies: WorkerReply[] = []
  #resolve: (outcome: SandboxOutcome) => void = () => undefined
  #release: (isReusable: boolean) => void = () => undefined
  readonly #stopTimer: (() => void) | undefined
  readonly #signal: AbortSignal | undefined

  constructor(worker: Runner, missing: string, program: SandboxProgram, call: ExecuteCall) {
    const { signal, journal, ...rest } = program
    const { totalMs } = program.limits
    this.#worker = worker
    this.#missing = missing
    this.#limits = program.limits
    this.#call = call
    this.#signal = signal
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.isReusable = new Promise((resolve) => {
      this.#release = resolve
    })
    worker.ref()
    worker.on('message', this.#receive)
    worker.on('error', this.#crash)
    worker.on('exit', this.#exit)
    this.#stopTimer = totalMs > 0 ? after(totalMs, () => this.#fail('time', '')) : undefined
    signal?.addEventListener('abort', this.#abort)
    const parts = { ...rest, limits: finiteLimits(program.limits) }
    const started: StartedProgram = journal === undefined ? parts : { ...parts, journal: workerJournal(journal) }
    if (signal?.aborted) this.#abort()
    else if (totalMs <= 0) this.#fail('time', '')
    else worker.postMessage({ type: 'start', ...started } satisfies ToWorker)
  }

  cancel(message: string): void {
    this.#fail('cancelled', message)
  }

  readonly #abort = (): void => this.cancel('The program was cancelled.')

  readonly #receive = (message: FromWorker): void => {
    switch (message.type) {
      case 'calls':
        this.#waiting.push(...message.calls)
        this.#startCalls()
        return
      case 'completed':
        this.#end({ status: 'completed', json: message.json, logs: message.logs })
        return
      case 'suspended':
        this.#end({ status: 'suspended', logs: message.logs })
        return
      case 'ready':
        this.#leave(message.isReusable)
        return
      default: {
        const { type: status, ...facts } = message
        this.#end({ status, ...facts })
        this.#leave(false)
      }
    }
  }

  readonly #crash = (error: Error): void => {
    const code = 'code' in error ? error.code : undefined
    if (code === 'ERR_MODULE_NOT_FOUND') this.#fail('unavailable', this.#missing)
    else this.#fail(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crashed', error.message)
  }

  readonly #exit = (_: unknown, signal?: unknown): void => {
    // V8 aborts the process with these signals if the memory is full.
    const isFull = signal === 'SIGABRT' || signal === 'SIGTRAP'
    const reason = signal === LATE ? 'time' : isFull ? 'memory' : 'crashed'
    this.#fail(reason, 'The thread or process of the program ended.')
  }

  #startCalls(): void {
    while (!this.#isOver && this.#active < this.#limits.parallel) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#active += 1
      void this.#execute(...next)
    }
  }

  async #execute(id: number, index: number, json: string): Promise<void> {
    const reply = await this.#call(index, json, this.#calls.signal, id - 1)
    if (this.#isOver) return
    this.#active -= 1
    if (reply === 'suspended') this.#suspended += 1
    else {
      // Sends replies that arrive together in one message.
      if (this.#replies.length === 0) queueMicrotask(() => this.#sendReplies())
      this.#replies.push(workerReply(id, reply))
    }
    this.#startCalls()
    this.#suspendIfIdle()
  }

  #suspendIfIdle(): void {
    if (this.#active > 0 || this.#suspended === 0 || this.#replies.length > 0) return
    this.#worker.postMessage({ type: 'suspend', open: this.#suspended } satisfies ToWorker)
  }

  #sendReplies(): void {
    if (this.#isOver) return
    this.#worker.postMessage({ type: 'replies', replies: this.#replies } satisfies ToWorker)
    this.#replies = []
    this.#suspendIfIdle()
  }

  #fail(reason: SandboxFailure, message: string): void {
    this.#end({ status: 'failed', reason, message, logs: [] })
    this.#leave(false)
  }

  #end(outcome: SandboxOutcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopTimer?.()
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#calls.abort(ended)
    this.#resolve(outcome)
  }

  #leave(isReusable: boolean): void {
    this.#worker.off('message', this.#receive).off('error', this.#crash).off('exit', this.#exit)
    this.#release(isReusable)
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
