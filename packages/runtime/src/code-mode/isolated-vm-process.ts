import process from 'node:process'
import type ivm from 'isolated-vm'
import { LONGEST_TIMER_MS } from '../call/timers.js'
import { CANNOT_LOAD } from './program-process.js'
import type { ToWorker } from './sandbox.js'
import { type Engine, type EngineHost, prelude, runPrograms, UncaughtError } from './sandboxed-program.js'

/*
 * Runs each program in a separate V8 isolate. A program has no access to objects of this process. Only numbers, booleans and strings pass
 * between the program and this process.
 */

const { default: isolatedVm } = await import('isolated-vm').catch(() => process.exit(CANNOT_LOAD))
const memoryMiB = Number(process.argv[2])

/**
 * Globals that programs must not use, because the globals share memory, block the process, depend on time and location, or do not exist in QuickJS.
 */
const removed = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'Intl']

class IsolatedVmEngine implements Engine {
  readonly #isolate: ivm.Isolate
  readonly #context: ivm.Context
  readonly #functions: Readonly<Record<'open' | 'start' | 'settle' | 'take', ivm.Reference>>
  #host: EngineHost | undefined
  #crash: unknown

  constructor() {
    this.#isolate = new isolatedVm.Isolate({ memoryLimit: Math.ceil(memoryMiB) })
    this.#context = this.#isolate.createContextSync()
    this.#context.evalSync(
      `for (const name of ${JSON.stringify(removed)}) delete globalThis[name]; delete ArrayBuffer.prototype.resize`,
    )
    const make = this.#context.evalSync(prelude, { reference: true })
    const functions = [
      this.#callback((host, calls) => host.post(String(calls))),
      this.#callback((host, line) => host.log(String(line))),
      this.#callback((host, isOk, json) => {
        if (this.#isFull()) host.end(false, '{"name":"InternalError","message":"out of memory"}')
        else host.end(isOk === true, String(json))
      }),
    ]
    const made: ivm.Reference = make.applySync(undefined, functions, { result: { reference: true } })
    const named = (name: string): ivm.Reference => made.getSync(name, { reference: true })
    this.#functions = { open: named('open'), start: named('start'), settle: named('settle'), take: named('take') }
  }

  open(host: EngineHost): void {
    this.#host = host
    this.#functions.open.applySync(undefined, [...host.values])
  }

  start(javascript: string): void {
    this.#run((timeout) => {
      const main = this.#context.evalSync(`${javascript}\n;program`, { reference: true, timeout })
      this.#functions.start.applySync(undefined, [main.derefInto()], { timeout })
    })
  }

  settle(id: number, isOk: boolean, json: string): void {
    this.#run((timeout) => this.#functions.settle.applySync(undefined, [id, isOk, json], { timeout }))
  }

  take(): string {
    return String(this.#run((timeout) => this.#functions.take.applySync(undefined, [], { timeout })))
  }

  isNearlyFull(): boolean {
    return false
  }

  isReusable(): boolean {
    return true
  }

  /** This check is necessary, because V8 does not stop a single allocation above the memory limit. */
  #isFull(): boolean {
    const { total_heap_size, externally_allocated_size } = this.#isolate.getHeapStatisticsSync()
    return total_heap_size + externally_allocated_size > memoryMiB * 2 ** 20
  }

  dispose(): void {
    if (!this.#isolate.isDisposed) this.#isolate.dispose()
  }

  /** Hides errors of `work` from the program, because an error stack contains file paths of this machine. */
  #callback(work: (host: EngineHost, ...parts: readonly unknown[]) => void): ivm.Callback {
    const guarded = (...parts: readonly unknown[]): void => {
      const host = this.#host
      if (host === undefined) return
      try {
        work(host, ...parts)
      } catch (error) {
        this.#crash = error
      }
      // Stops the remaining code of a program after its end.
      if (this.#crash !== undefined || host.isOver()) this.dispose()
    }
    return new isolatedVm.Callback(guarded, { sync: true })
  }

  /** The limit `timeout` includes promise jobs, which V8 runs after `work`. */
  #run(work: (timeout: number) => unknown): unknown {
    const remainingMs = this.#host?.remainingMs() ?? 0
    try {
      return work(Math.min(Math.max(1, Math.ceil(remainingMs) + 1), LONGEST_TIMER_MS))
    } catch (error) {
      if (this.#crash !== undefined) throw this.#crash
      throw new UncaughtError(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    }
  }
}

runPrograms(() => new IsolatedVmEngine(), {
  send: (message) => process.send?.(message),
  onMessage: (receive) =>
    process.on('message', (message: ToWorker) => {
      process.send?.('busy')
      receive(message)
      process.send?.('idle')
    }),
})
