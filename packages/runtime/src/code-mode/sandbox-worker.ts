import { parentPort, workerData } from 'node:worker_threads'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  RELEASE_SYNC,
} from 'quickjs-emscripten'
import type { FromWorker, StartedProgram, ToWorker, WorkerReply } from './sandbox.js'

/*
 * Runs one program at a time in QuickJS, compiled to WebAssembly. The program has no access to this file's realm: it exchanges only numbers
 * and strings with it. The host's messages are answered between slices of the program, and a slice ends when the program waits for calls.
 */

/** The part of the global that this file uses: TypeScript declares it only with the types of browsers. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBufferLike }
}

const pageBytes = 65_536

/** Prepares the realm of a program. Returns functions for the host: one starts the program, the other settles a call. */
const prelude = `((post, log, end, paths, now, random) => {
  'use strict'
  const { parse, stringify } = JSON
  // No methods of the realm: the program can replace them.
  const pending = { __proto__: null }
  let last = 0
  const call = (index, args) => new Promise((resolve, reject) => {
    const text = stringify(args === undefined ? {} : args)
    last += 1
    pending[last] = { resolve, reject }
    post(last, index, text === undefined ? 'null' : text)
  })
  for (const [index, path] of parse(paths).entries()) {
    const [namespace, name] = path.split('.')
    if (!Object.hasOwn(globalThis, namespace)) Object.defineProperty(globalThis, namespace, { value: {}, configurable: true })
    Object.defineProperty(globalThis[namespace], name, { value: (args) => call(index, args), enumerable: true })
  }
  const text = (value) => {
    try {
      return typeof value === 'string' ? value : value instanceof Error ? String(value) : stringify(value) ?? String(value)
    } catch {
      return '(unprintable)'
    }
  }
  const print = (...values) => log(values.map(text).join(' '))
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print }
  const RealDate = Date
  globalThis.Date = function Date(...parts) {
    if (!new.target) return new RealDate(now).toString()
    return Reflect.construct(RealDate, parts.length === 0 ? [now] : parts, new.target)
  }
  Object.assign(globalThis.Date, { now: () => now, parse: RealDate.parse, UTC: RealDate.UTC, prototype: RealDate.prototype })
  Object.defineProperty(RealDate.prototype, 'constructor', { value: globalThis.Date })
  let state = random
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const failure = (error) => {
    try {
      if (error === null) return '{"name":"Error","message":"out of memory"}'
      const { name, message, hint } = error
      return stringify({ name: text(name ?? 'Error'), message: text(message ?? error), hint: hint === undefined ? undefined : text(hint) })
    } catch {
      return '{"name":"Error","message":"The program threw a value that cannot be read."}'
    }
  }
  return {
    start: (main) => {
      main().then((value) => end(true, stringify(value === undefined ? null : value) ?? 'null'), (error) => end(false, failure(error)))
        .catch((error) => end(false, failure(error)))
    },
    settle: (id, isOk, reply) => {
      const { resolve, reject } = pending[id]
      delete pending[id]
      if (isOk) resolve(parse(reply))
      else {
        const { message, hint } = parse(reply)
        const error = new Error(message)
        error.name = 'ToolError'
        if (hint !== undefined) error.hint = hint
        reject(error)
      }
    },
  }
})`

/** A program that runs in its own QuickJS runtime. */
class SandboxedProgram {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #settle: QuickJSHandle
  readonly #limits: StartedProgram['limits']
  readonly #paths: readonly string[]
  /** Journal that the program repeats; `undefined` when it has repeated it. */
  #journal: StartedProgram['journal']
  #computed = 0
  #sliceStart = 0
  #calls: [id: number, index: number, json: string][] = []
  #callCount = 0
  /** Number of calls without a reply. */
  #open = 0
  readonly #logs: string[] = []
  #logBytes = 0
  #isOver = false
  /** True after the program has returned or was suspended. After a failure, the host ends the thread. */
  isCompleted = false

  constructor(quickjs: QuickJSWASMModule, { javascript, paths, now, seed, limits, journal }: StartedProgram) {
    this.#limits = limits
    this.#paths = paths
    this.#journal = journal
    this.#runtime = quickjs.newRuntime({ maxStackSizeBytes: 512 * 1024 })
    const context = this.#runtime.newContext()
    this.#context = context
    const host = [
      context.newFunction('post', (id, index, json) => this.#post(id, index, json)),
      context.newFunction('log', (line) => this.#log(context.getString(line))),
      context.newFunction('end', (isOk, json) => this.#end(isOk, json)),
      context.newString(JSON.stringify(paths)),
      context.newNumber(now),
      context.newNumber(seed),
    ]
    const make = context.unwrapResult(context.evalCode(prelude, 'prelude.js'))
    const made = context.unwrapResult(context.callFunction(make, context.undefined, ...host))
    for (const handle of [...host, make]) handle.dispose()
    this.#settle = context.getProp(made, 'settle')
    const start = context.getProp(made, 'start')
    made.dispose()
    this.#runtime.setInterruptHandler(() => this.#isLate())
    this.#slice(() => {
      const evaluated = context.evalCode(`${javascript}\n;program`, 'program.js')
      if (evaluated.error) return evaluated.error
      const result = context.callFunction(start, context.undefined, evaluated.value)
      evaluated.value.dispose()
      start.dispose()
      return result.error ?? this.#jobs() ?? this.#replay()
    })
  }

  /** Passes replies to the program and continues it. */
  settle(replies: readonly WorkerReply[]): void {
    if (this.#isOver) return
    this.#slice(() => this.#reply(replies))
  }

  /** Ends the program as suspended if it waits only for `open` calls. Otherwise it has made further calls. */
  suspend(open: number): void {
    if (!this.#isOver && this.#open === open) this.#over({ type: 'suspended', logs: this.#logs })
  }

  /** Runs all jobs after each reply, so that the order of the replies alone determines the order of further calls. */
  #reply(replies: readonly WorkerReply[]): QuickJSHandle | undefined {
    const context = this.#context
    for (const [id, isOk, json] of replies) {
      if (this.#isOver) return undefined
      this.#open -= 1
      const parts = [context.newNumber(id), isOk ? context.true : context.false, context.newString(json)]
      const result = context.callFunction(this.#settle, context.undefined, ...parts)
      for (const part of parts) part.dispose()
      const error = result.error ?? this.#jobs()
      if (error !== undefined) return error
    }
    return undefined
  }

  /** Repeats the journal. Then only the calls without a reply are left. */
  #replay(): QuickJSHandle | undefined {
    const journal = this.#journal
    if (journal === undefined) return undefined
    for (const reply of journal.replies) {
      if (this.#isOver) return undefined
      const [id] = reply
      if (id > this.#callCount) break
      this.#calls = this.#calls.filter((call) => call[0] !== id)
      const error = this.#reply([reply])
      if (error !== undefined) return error
    }
    const missing = journal.calls[this.#callCount]
    if (missing !== undefined) this.#differ(`Call ${this.#callCount + 1} (${missing.path}) is missing.`)
    this.#journal = undefined
    return undefined
  }

  get #endedEarly(): string {
    const next = this.#journal?.calls[this.#callCount]
    return next === undefined
      ? 'The program ended while calls were suspended.'
      : `The program ended before call ${this.#callCount + 1} (${next.path}).`
  }

  #differ(message: string): void {
    this.#over({ type: 'failed', reason: 'replay', message, logs: this.#logs })
  }

  /** Compares a call with the call in the journal. */
  #compare(index: number, json: string): void {
    const { calls } = this.#journal ?? {}
    if (calls === undefined) return
    const number = this.#callCount
    const path = this.#paths[index] ?? ''
    const before = calls[number - 1]
    if (before === undefined) this.#differ(`Call ${number} (${path}) is new.`)
    else if (before.path !== path) this.#differ(`Call ${number} was ${before.path}, and is now ${path}.`)
    else if (before.json !== json) {
      const [was, is] = [before.json, json].map((text) => (text.length > 200 ? `${text.slice(0, 199)}…` : text))
      this.#differ(`Call ${number} (${path}) had the arguments ${was}, and now has ${is}.`)
    }
  }

  dispose(): void {
    this.#settle.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
  }

  /** Runs `work` and the promise jobs that follow, and then sends the calls of the program. */
  #slice(work: () => QuickJSHandle | undefined): void {
    this.#sliceStart = performance.now()
    try {
      const error = work() ?? this.#jobs()
      if (error !== undefined) this.#fail(error)
    } catch (error) {
      this.#fail(undefined, error)
    }
    if (!this.#isOver && this.#open === 0) this.#stuck()
    this.#computed += performance.now() - this.#sliceStart
    if (this.#isOver || this.#calls.length === 0) return
    send({ type: 'calls', calls: this.#calls })
    this.#calls = []
  }

  /**
   * Ends a program that waits for nothing. If an allocation fails, QuickJS drops promise jobs, so that the program never continues. The
   * memory need not be full then: a large allocation fails earlier.
   */
  #stuck(): void {
    const isFull = wasmMemory.buffer.byteLength > (maximum * pageBytes) / 2
    this.#failWith(isFull ? 'out of memory' : 'Error: The program waits for a promise that never settles.')
  }

  #jobs(): QuickJSHandle | undefined {
    while (!this.#isOver && this.#runtime.hasPendingJob()) {
      const result = this.#runtime.executePendingJobs(100)
      if (result.error) return result.error
      if (this.#isLate()) this.#failWith('')
    }
    return undefined
  }

  #post(id: QuickJSHandle, index: QuickJSHandle, json: QuickJSHandle): void {
    const context = this.#context
    this.#callCount += 1
    this.#open += 1
    if (this.#callCount > this.#limits.calls) {
      this.#over({ type: 'failed', reason: 'calls', message: '', logs: this.#logs })
      return
    }
    const [at, text] = [context.getNumber(index), context.getString(json)]
    this.#compare(at, text)
    this.#calls.push([context.getNumber(id), at, text])
  }

  #log(line: string): void {
    this.#logBytes += line.length + 1
    if (this.#logBytes <= this.#limits.logCharacters) this.#logs.push(line)
    else if (this.#logs.at(-1) !== cutMark) this.#logs.push(cutMark)
  }

  #end(isOk: QuickJSHandle, json: QuickJSHandle): void {
    const context = this.#context
    const text = context.getString(json)
    if (context.dump(isOk) !== true) {
      const { name, message, hint } = JSON.parse(text)
      this.#failWith(`${name}: ${message}`, hint)
    } else if (this.#journal !== undefined) {
      this.#differ(this.#endedEarly)
    } else if (this.#open > 0) {
      this.#over({ type: 'failed', reason: 'unawaited', message: '', logs: this.#logs })
    } else if (text.length > this.#limits.resultCharacters) {
      this.#over({ type: 'failed', reason: 'result', message: `${text.length}`, logs: this.#logs })
    } else {
      this.#over({ type: 'completed', json: text, logs: this.#logs })
    }
  }

  #fail(error: QuickJSHandle | undefined, cause?: unknown): void {
    if (error === undefined) {
      // The error comes from WebAssembly, for example because its stack is full. The thread must not be used again.
      this.#failWith(String(cause), undefined, 'crashed')
      return
    }
    const value: unknown = this.#context.dump(error)
    error.dispose()
    const isError = typeof value === 'object' && value !== null
    this.#failWith(isError ? `${Reflect.get(value, 'name')}: ${Reflect.get(value, 'message')}` : String(value))
  }

  #failWith(message: string, hint?: string, other: 'error' | 'crashed' = 'error'): void {
    const reason = this.#isLate() ? 'time' : outOfMemory.test(message) ? 'memory' : other
    if (reason === 'error' && this.#journal !== undefined) this.#differ(`${this.#endedEarly} Its error is: ${message}`)
    this.#over({ type: 'failed', reason, message, ...(hint !== undefined && { hint }), logs: this.#logs })
  }

  #isLate(): boolean {
    return this.#computed + performance.now() - this.#sliceStart > this.#limits.computeMs
  }

  #over(message: FromWorker): void {
    if (this.#isOver) return
    this.#isOver = true
    this.isCompleted = message.type !== 'failed'
    send(message)
  }
}

/** Messages of QuickJS and of the WebAssembly engine when the memory is full. QuickJS can also throw `null`. */
const outOfMemory = /out of memory|^null$|memory access|Aborted/i

const cutMark = '(more output was dropped)'

function send(message: FromWorker): void {
  parentPort?.postMessage(message)
}

const { memoryMiB }: { readonly memoryMiB: number } = workerData
const maximum = Math.ceil((memoryMiB * 1024 * 1024) / pageBytes)
const wasmMemory = new WebAssembly.Memory({ initial: Math.min(256, maximum), maximum })
const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory }))
let current: SandboxedProgram | undefined

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'start') current = new SandboxedProgram(quickjs, message)
  else if (message.type === 'replies') current?.settle(message.replies)
  else current?.suspend(message.open)
  if (current?.isCompleted !== true) return
  current.dispose()
  current = undefined
  send({ type: 'ready' })
})
