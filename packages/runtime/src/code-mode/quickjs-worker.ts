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

class QuickJsEngine implements Engine {
  readonly #host: EngineHost
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #start: QuickJSHandle
  readonly #settle: QuickJSHandle

  constructor(context: QuickJSContext, make: QuickJSHandle, host: EngineHost) {
    this.#host = host
    this.#runtime = context.runtime
    this.#context = context
    const [paths, now, seed] = host.values
    const parts = [
      context.newFunction('post', (id, index, json) =>
        host.post(context.getNumber(id), context.getNumber(index), context.getString(json)),
      ),
      context.newFunction('log', (line) => host.log(context.getString(line))),
      context.newFunction('end', (isOk, json) => host.end(context.dump(isOk) === true, context.getString(json))),
      context.newString(paths),
      context.newNumber(now),
      context.newNumber(seed),
    ]
    const made = context.unwrapResult(context.callFunction(make, context.undefined, ...parts))
    for (const handle of [...parts, make]) handle.dispose()
    this.#settle = context.getProp(made, 'settle')
    this.#start = context.getProp(made, 'start')
    made.dispose()
    this.#runtime.setInterruptHandler(() => host.remainingMs() < 0)
  }

  start(javascript: string): void {
    const main = this.#value(this.#context.evalCode(`${javascript}\n;program`, 'program.js'))
    this.#call(this.#start, main)
  }

  settle(id: number, isOk: boolean, json: string): void {
    const context = this.#context
    this.#call(this.#settle, context.newNumber(id), isOk ? context.true : context.false, context.newString(json))
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
    this.#settle.dispose()
    this.#start.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
  }

  #call(target: QuickJSHandle, ...parts: readonly QuickJSHandle[]): void {
    const result = this.#context.callFunction(target, this.#context.undefined, ...parts)
    for (const part of parts) part.dispose()
    this.#value(result)
    while (!this.#host.isOver() && this.#runtime.hasPendingJob()) {
      const jobs = this.#runtime.executePendingJobs(100)
      if (jobs.error) throw this.#uncaught(jobs.error)
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

function prepareEngine(): (host: EngineHost) => Engine {
  const context = quickjs.newRuntime({ maxStackSizeBytes: 512 * 1024 }).newContext()
  const make = context.unwrapResult(context.evalCode(prelude, 'prelude.js'))
  return (host) => new QuickJsEngine(context, make, host)
}

runPrograms(prepareEngine, {
  send: (message) => parentPort?.postMessage(message),
  onMessage: (receive) => parentPort?.on('message', receive),
})
