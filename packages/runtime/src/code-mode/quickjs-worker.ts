import { parentPort, workerData } from 'node:worker_threads'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  RELEASE_SYNC,
} from 'quickjs-emscripten'
import { type Engine, type EngineHost, prelude, runPrograms, UncaughtError } from './sandboxed-program.js'

/*
 * Runs programs in QuickJS, compiled to WebAssembly. A program has no access to objects of this thread. Only numbers and strings pass between
 * the program and this thread.
 */

/** TypeScript declares `WebAssembly` only in the browser types. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBufferLike }
}

const pageBytes = 65_536
const { memoryMiB }: { readonly memoryMiB: number } = workerData
const maximum = Math.ceil((memoryMiB * 1024 * 1024) / pageBytes)
const initial = Math.min(256, maximum)
const wasmMemory = new WebAssembly.Memory({ initial, maximum })
// QuickJS reads the time zone through this method. UTC everywhere lets a suspended program continue on another machine.
Date.prototype.getTimezoneOffset = () => 0
const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory }))

/** Number of promise jobs between two checks of the time limit. */
const mostJobs = 100

class QuickJsEngine implements Engine {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #functions: Readonly<Record<'open' | 'start' | 'settle' | 'take', QuickJSHandle>>
  #host: EngineHost | undefined

  constructor() {
    this.#runtime = quickjs.newRuntime({ maxStackSizeBytes: 512 * 1024 })
    this.#context = this.#runtime.newContext()
    const context = this.#context
    const make = context.unwrapResult(context.evalCode(prelude, 'prelude.js'))
    const parts = [
      context.newFunction('post', (calls) => this.#host?.post(context.getString(calls))),
      context.newFunction('log', (line) => this.#host?.log(context.getString(line))),
      context.newFunction('end', (isOk, json) => this.#host?.end(context.dump(isOk) === true, context.getString(json))),
    ]
    const made = context.unwrapResult(context.callFunction(make, context.undefined, ...parts))
    const named = (name: string): QuickJSHandle => context.getProp(made, name)
    this.#functions = { open: named('open'), start: named('start'), settle: named('settle'), take: named('take') }
    for (const handle of [...parts, make, made]) handle.dispose()
  }

  open(host: EngineHost): void {
    this.#host = host
    const context = this.#context
    const [paths, now, seed] = host.values
    const parts = [context.newString(paths), context.newNumber(now), context.newNumber(seed)]
    const opened = context.unwrapResult(context.callFunction(this.#functions.open, context.undefined, ...parts))
    for (const handle of [...parts, opened]) handle.dispose()
    this.#runtime.setInterruptHandler(() => host.remainingMs() < 0)
  }

  start(javascript: string): void {
    const main = this.#value(this.#context.evalCode(`${javascript}\n;program`, 'program.js'))
    this.#call(this.#functions.start, main)
  }

  settle(id: number, isOk: boolean, json: string): void {
    const context = this.#context
    const parts = [context.newNumber(id), isOk ? context.true : context.false, context.newString(json)]
    this.#call(this.#functions.settle, ...parts)
  }

  take(): string {
    const calls = this.#value(this.#context.callFunction(this.#functions.take, this.#context.undefined))
    const text = this.#context.getString(calls)
    calls.dispose()
    return text
  }

  /** If the program uses more than half of the memory, a large allocation can fail without an error. */
  isNearlyFull(): boolean {
    return wasmMemory.buffer.byteLength > (maximum * pageBytes) / 2
  }

  isReusable(): boolean {
    // WebAssembly never releases memory, so an earlier program can leave too little memory.
    return wasmMemory.buffer.byteLength === initial * pageBytes || !this.isNearlyFull()
  }

  dispose(): void {
    for (const handle of Object.values(this.#functions)) handle.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
  }

  #call(target: QuickJSHandle, ...parts: readonly QuickJSHandle[]): void {
    const result = this.#context.callFunction(target, this.#context.undefined, ...parts)
    for (const part of parts) part.dispose()
    this.#value(result).dispose()
    while (this.#host?.isOver() === false) {
      const jobs = this.#runtime.executePendingJobs(mostJobs)
      if (jobs.error) throw this.#uncaught(jobs.error)
      if (jobs.value < mostJobs) return
      if (this.#host.remainingMs() < 0) throw new UncaughtError('')
    }
  }

  #value(result: ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    if (result.error) throw this.#uncaught(result.error)
    return result.value
  }

  #uncaught(error: QuickJSHandle): UncaughtError {
    const value: unknown = this.#context.dump(error)
    error.dispose()
    const isError = typeof value === 'object' && value !== null
    return new UncaughtError(
      isError ? `${Reflect.get(value, 'name')}: ${Reflect.get(value, 'message')}` : String(value),
    )
  }
}

runPrograms(() => new QuickJsEngine(), {
  send: (message) => parentPort?.postMessage(message),
  onMessage: (receive) => parentPort?.on('message', receive),
})
