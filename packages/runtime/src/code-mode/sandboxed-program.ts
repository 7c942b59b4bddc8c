import type { FromWorker, StartedProgram, ToWorker, WorkerReply } from './sandbox.js'

/** Number of new calls that the program passes to the host immediately, so that a program with endless calls ends. */
const mostCalls = 64

/** Arguments: functions of {@link EngineHost}. Must run before the program, which can replace all global objects. */
export const prelude: string = `(post, log, end) => {
  'use strict'
  const { parse, stringify } = JSON
  const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed)
  const join = Function.prototype.call.bind(Array.prototype.join)
  // Plain objects, because the program can replace the methods of \`Map\` and \`Array\`.
  const pending = { __proto__: null }
  let last = 0
  let calls = { __proto__: null, length: 0 }
  const take = () => {
    const taken = calls
    calls = { __proto__: null, length: 0 }
    return join(taken, '\\n')
  }
  const call = (index, args) => new Promise((resolve, reject) => {
    const text = stringify(args === undefined ? {} : args)
    last += 1
    pending[last] = { resolve, reject }
    calls[calls.length] = index + ' ' + (text === undefined ? 'null' : text)
    calls.length += 1
    if (calls.length === ${mostCalls}) post(take())
  })
  const text = (value) => {
    try {
      return wellFormed(typeof value === 'string' ? value : value instanceof Error ? String(value) : stringify(value) ?? String(value))
    } catch {
      return '(unprintable)'
    }
  }
  const print = (...values) => log(values.map(text).join(' '))
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print }
  let now
  const RealDate = Date
  globalThis.Date = function Date(...parts) {
    if (!new.target) return new RealDate(now).toString()
    return Reflect.construct(RealDate, parts.length === 0 ? [now] : parts, new.target)
  }
  Object.assign(globalThis.Date, { now: () => now, parse: RealDate.parse, UTC: RealDate.UTC, prototype: RealDate.prototype })
  Object.defineProperty(RealDate.prototype, 'constructor', { value: globalThis.Date })
  let state
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const failure = (error) => {
    try {
      if (error === null || error === undefined) return stringify({ name: 'Error', message: text(error), isNull: error === null })
      const { name, message, hint } = error
      return stringify({ name: text(name ?? 'Error'), message: text(message ?? error), hint: hint === undefined ? undefined : text(hint) })
    } catch {
      return '{"name":"Error","message":"The program threw a value that cannot be read."}'
    }
  }
  const finish = (isOk, json) => {
    if (calls.length > 0) post(take())
    end(isOk, json)
  }
  return {
    open: (paths, startedAt, seed) => {
      now = startedAt
      state = seed
      for (const [index, path] of parse(paths).entries()) {
        const [namespace, name] = path.split('.')
        if (!Object.hasOwn(globalThis, namespace)) Object.defineProperty(globalThis, namespace, { value: {}, configurable: true })
        Object.defineProperty(globalThis[namespace], name, { value: (args) => call(index, args), enumerable: true })
      }
    },
    start: (main) => {
      main().then((value) => finish(true, stringify(value === undefined ? null : value) ?? 'null'), (error) => finish(false, failure(error)))
        .catch((error) => finish(false, failure(error)))
    },
    settle: (id, isOk, reply) => {
      const { resolve, reject } = pending[id]
      delete pending[id]
      if (isOk) resolve(parse(reply))
      else {
        const { message, hint, reason, data } = parse(reply)
        const error = new Error()
        // The assignment makes the message part of the JSON, for example of the results of \`Promise.allSettled\`.
        error.message = message
        error.name = 'ToolError'
        if (hint !== undefined) error.hint = hint
        if (reason !== undefined) error.reason = reason
        if (data !== undefined) error.data = data
        reject(error)
      }
    },
    take,
  }
}`

/** The methods `start` and `settle` also run all promise jobs of the program. */
export interface Engine {
  /** Must be called first. */
  open(host: EngineHost): void
  /** @throws {UncaughtError} for an uncaught error of the program. After any other error, the thread cannot run another program */
  start(javascript: string): void
  settle(id: number, isOk: boolean, json: string): void
  /** Returns the new calls of the program that `post` has not received. */
  take(): Calls
  /** Returns `true` if an allocation of the program may have failed without an error. */
  isNearlyFull(): boolean
  isReusable(): boolean
  dispose(): void
}

/**
 * One line for each call: the index of the function, a space, and the arguments as JSON. Passing all calls in one text is faster than a call of the host
 * for each.
 */
type Calls = string

export interface EngineHost {
  // `prelude` receives these functions as arguments. Engines pass only numbers, booleans and strings to them.
  readonly post: (calls: Calls) => void
  readonly log: (line: string) => void
  readonly end: (isOk: boolean, json: string) => void
  /** Arguments of the function `open` of {@link prelude}. `paths` contains the function names as JSON. */
  readonly values: readonly [paths: string, now: number, seed: number]
  readonly remainingMs: () => number
  /** After the end of the program, the engine must skip the remaining promise jobs of the program. */
  readonly isOver: () => boolean
}

/** The preparation takes longer than a short program, so a thread prepares an engine before it receives a program. */
export type PrepareEngine = () => Engine

export class UncaughtError extends Error {}

class SandboxedProgram {
  readonly #engine: Engine
  readonly #send: (message: FromWorker) => void
  readonly #limits: StartedProgram['limits']
  readonly #paths: readonly string[]
  #journal: StartedProgram['journal']
  #computed = 0
  #sliceStart = 0
  #calls: [id: number, index: number, json: string][] = []
  #callCount = 0
  #open = 0
  readonly #logs: string[] = []
  #logBytes = 0
  #isOver = false
  isCompleted = false

  constructor(
    engine: Engine,
    { javascript, paths, now, seed, limits, journal }: StartedProgram,
    send: (message: FromWorker) => void,
  ) {
    this.#send = send
    this.#limits = limits
    this.#paths = paths
    this.#journal = journal
    this.#engine = engine
    engine.open({
      post: (calls) => this.#post(calls),
      log: (line) => this.#log(line),
      end: (isOk, json) => this.#end(isOk, json),
      values: [JSON.stringify(paths), now, seed],
      remainingMs: () => this.#remainingMs(),
      isOver: () => this.#isOver,
    })
    this.#slice(() => {
      engine.start(javascript)
      this.#replay()
    })
  }

  settle(replies: readonly WorkerReply[]): void {
    if (this.#isOver) return
    this.#slice(() => this.#reply(replies))
  }

  /** A number of waiting calls other than `open` means that the program has made new calls since the sandbox sent the request. */
  suspend(open: number): void {
    if (!this.#isOver && this.#open === open) this.#over({ type: 'suspended', logs: this.#logs })
  }

  /**
   * Passes replies one by one and runs all promise jobs after each reply, so that the order of the replies determines the order of the program's next
   * calls.
   */
  #reply(replies: readonly WorkerReply[]): void {
    for (const [id, isOk, json] of replies) {
      if (this.#isOver) return
      this.#open -= 1
      this.#engine.settle(id, isOk, json)
    }
  }

  #replay(): void {
    const journal = this.#journal
    if (journal === undefined) return
    for (const reply of journal.replies) {
      this.#takeCalls()
      if (this.#isOver) return
      const [id] = reply
      if (id > this.#callCount) break
      this.#calls = this.#calls.filter((call) => call[0] !== id)
      this.#reply([reply])
    }
    this.#takeCalls()
    const missing = journal.calls[this.#callCount]
    if (missing !== undefined) this.#differ(`Call ${this.#callCount + 1} (${missing.path}) is missing.`)
    this.#journal = undefined
  }

  get #endedEarly(): string {
    const next = this.#journal?.calls[this.#callCount]
    return next === undefined
      ? 'The program ended without waiting for its suspended calls.'
      : `The program ended before call ${this.#callCount + 1} (${next.path}).`
  }

  #differ(message: string): void {
    this.#over({ type: 'failed', reason: 'replay', message, logs: this.#logs })
  }

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

  dispose(): boolean {
    const isReusable = this.#engine.isReusable()
    this.#engine.dispose()
    return isReusable
  }

  #slice(work: () => void): void {
    this.#sliceStart = performance.now()
    try {
      work()
      this.#takeCalls()
    } catch (error) {
      const isUncaught = error instanceof UncaughtError
      const message = isUncaught ? error.message : String(error)
      this.#failWith(message, engineIsFull.test(message) ? 'memory' : isUncaught ? 'error' : 'crashed')
    }
    // A program without open calls cannot continue. One cause is a full memory: QuickJS drops promise jobs after a failed allocation.
    if (!this.#isOver && this.#open === 0) {
      const stuck = 'Error: The program waits for a promise that never settles.'
      this.#failWith(stuck, this.#engine.isNearlyFull() ? 'memory' : 'error')
    }
    this.#computed += performance.now() - this.#sliceStart
    if (this.#isOver || this.#calls.length === 0) return
    this.#send({ type: 'calls', calls: this.#calls })
    this.#calls = []
  }

  #takeCalls(): void {
    if (!this.#isOver) this.#post(this.#engine.take())
  }

  #post(calls: Calls): void {
    if (calls === '') return
    for (const line of calls.split('\n')) {
      if (this.#isOver) return
      const space = line.indexOf(' ')
      this.#postCall(Number(line.slice(0, space)), line.slice(space + 1))
    }
  }

  #postCall(index: number, json: string): void {
    this.#callCount += 1
    this.#open += 1
    if (this.#callCount > this.#limits.calls) {
      this.#over({ type: 'failed', reason: 'calls', message: '', logs: this.#logs })
      return
    }
    this.#compare(index, json)
    this.#calls.push([this.#callCount, index, json])
  }

  #log(line: string): void {
    this.#logBytes += line.length + 1
    if (this.#logBytes <= this.#limits.logCharacters) this.#logs.push(line)
    else if (this.#logs.at(-1) !== cutMark) this.#logs.push(cutMark)
  }

  #end(isOk: boolean, json: string): void {
    if (!isOk) {
      const { name, message, hint, isNull } = JSON.parse(json)
      const text = `${name}: ${message}`
      // QuickJS throws `null` if the memory has no space for an error object. A program can also throw `null`.
      const isFull = outOfMemory.test(text) || (isNull === true && this.#engine.isNearlyFull())
      this.#failWith(text, isFull ? 'memory' : 'error', hint)
    } else if (this.#journal !== undefined) {
      this.#differ(this.#endedEarly)
    } else if (this.#open > 0) {
      this.#over({ type: 'failed', reason: 'unawaited', message: '', logs: this.#logs })
    } else if (json.length > this.#limits.resultCharacters) {
      this.#over({ type: 'failed', reason: 'result', message: `${json.length}`, logs: this.#logs })
    } else {
      this.#over({ type: 'completed', json, logs: this.#logs })
    }
  }

  #failWith(message: string, cause: 'error' | 'memory' | 'crashed', hint?: string): void {
    const reason = this.#remainingMs() < 0 ? 'time' : cause
    if (reason === 'error' && this.#journal !== undefined) this.#differ(`${this.#endedEarly} Its error is: ${message}`)
    this.#over({ type: 'failed', reason, message, ...(hint !== undefined && { hint }), logs: this.#logs })
  }

  #remainingMs(): number {
    return this.#limits.computeMs - this.#computed - (performance.now() - this.#sliceStart)
  }

  #over(message: FromWorker): void {
    if (this.#isOver) return
    this.#isOver = true
    this.isCompleted = message.type !== 'failed'
    this.#send(message)
  }
}

/** Matches the errors that QuickJS and V8 throw inside a program with full memory. */
const outOfMemory = /^(InternalError: out of memory|RangeError: Array buffer allocation failed)$/

/** Matches the messages of errors that an engine or WebAssembly throws for full memory. */
const engineIsFull = /out of memory|^null$|memory access|memory limit|allocation failed|Aborted/i

const cutMark = '(more output was dropped)'

export interface Port {
  send(message: FromWorker): void
  onMessage(receive: (message: ToWorker) => void): void
}

export function runPrograms(prepareEngine: PrepareEngine, port: Port): void {
  let current: SandboxedProgram | undefined
  let engine = prepareEngine()
  port.onMessage((message) => {
    if (message.type === 'start') current = new SandboxedProgram(engine, message, port.send)
    else if (message.type === 'replies') current?.settle(message.replies)
    else current?.suspend(message.open)
    if (current?.isCompleted !== true) return
    const isReusable = current.dispose()
    current = undefined
    port.send({ type: 'ready', isReusable })
    if (isReusable) engine = prepareEngine()
  })
}
