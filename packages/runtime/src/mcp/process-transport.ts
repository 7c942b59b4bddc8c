import { type ChildProcess, spawn } from 'node:child_process'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { after } from '../call/timers.js'
import { McpCallError } from './mcp-call-error.js'
import { BoundedLines, type BoundedText, nextTurn, ownAnswer, readMessage, tooLarge } from './messages.js'

/** Time for a server with broken pipes to end by itself, in milliseconds: its exit status says the most. */
const LAST_MOMENTS_MS = 500

/** Time for a server to end after its stdin is closed, and again after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000

/** Number of characters of stderr that are kept. */
const MAX_STDERR = 4_000

/** A server that a caller starts. */
export interface ServerCommand {
  readonly command: string
  readonly args?: readonly string[]
  /**
   * Variables of the server's environment, in addition to `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER` (on Windows
   * their like). It gets no others of this process, whose secrets are not for every program that it starts: name those that
   * it needs, `{ API_KEY: process.env.API_KEY }`, or pass all with `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /**
   * `inherit` shows what the server writes to stderr. If a server dies, the message of the {@link McpCallError} quotes the
   * error in it, else its last lines. Default `ignore`.
   */
  readonly stderr?: 'inherit' | 'ignore'
}

/**
 * Exchanges messages with a server over its stdin and stdout. Unlike the SDK's transport it makes the server the leader of a
 * process group, so that everything that the server started ends with it, limits messages, and reports how the server ended.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void
  readonly #server: ServerCommand
  readonly #maxMessageBytes: number
  #child: ChildProcess | undefined
  #stderr = ''
  #delivery: Promise<void> = Promise.resolve()
  #isClosing = false
  #giveUp: Promise<void> | undefined
  #isOver = false
  #resolveEnd: (end: Error) => void = () => {}
  readonly #end: Promise<Error> = new Promise((resolve) => {
    this.#resolveEnd = resolve
  })

  constructor(server: ServerCommand, maxMessageBytes: number) {
    this.#server = server
    this.#maxMessageBytes = maxMessageBytes
  }

  async start(): Promise<void> {
    const { command, args = [], env = {}, cwd, stderr = 'ignore' } = this.#server
    const child = spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      ...(cwd !== undefined && { cwd }),
    })
    this.#child = child
    const lines = new BoundedLines(this.#maxMessageBytes)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of lines.push(text))
        this.#delivery = this.#delivery.then(() => this.#receive(line)).then(nextTurn)
    })
    child.stdout.once('end', () => void this.#lose('the server has closed its stdout'))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk}`.slice(-MAX_STDERR)
      if (stderr === 'inherit') process.stderr.write(chunk)
    })
    for (const stream of [child.stdout, child.stderr]) stream.on('error', (error) => this.#report(error))
    // `send` fails with it.
    child.stdin.on('error', () => undefined)
    // Not `close`: what a server leaves behind may hold its pipes open.
    child.once('exit', (code, signal) => {
      signalGroup(child, 'SIGKILL')
      // Messages from before the end are delivered first.
      setImmediate(async () => {
        await this.#delivery
        child.stdout.destroy()
        child.stderr.destroy()
        this.#ended(new ServerEnd(code ?? signal, this.#stderr))
      })
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    endWithThisProcess(child)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (stdin?.writable) stdin.write(`${JSON.stringify(message)}\n`, (failed) => resolve(failed ?? null))
      else resolve(undefined)
    })
    if (error === null) return
    // The next call must find the connection closed; the end of the server says more than its closed pipe.
    await this.#lose('the server does not read its stdin')
    const end = this.#child && (await this.#end)
    throw end instanceof ServerEnd
      ? new McpCallError('closed', end.unanswered)
      : new McpCallError('closed', 'the server does not take messages any more', error && { cause: error })
  }

  /** Closes the server's stdin, sends SIGTERM and then SIGKILL to its process group, each after a grace period. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || hasEnded(child)) return
    this.#isClosing = true
    child.stdin?.end()
    if (await endsWithin(child, GRACE_MS)) return
    signalGroup(child, 'SIGTERM')
    if (await endsWithin(child, GRACE_MS)) return
    signalGroup(child, 'SIGKILL')
    await endsWithin(child, Number.POSITIVE_INFINITY)
  }

  /** Kills the server with everything that it started. */
  abandon(): void {
    if (this.#child !== undefined) signalGroup(this.#child, 'SIGKILL')
  }

  /** Ends a server that lives and whose pipes are closed. */
  #lose(reason: string): Promise<void> {
    this.#giveUp ??= (async () => {
      const child = this.#child
      if (child === undefined || this.#isClosing || hasEnded(child)) return
      child.stdin?.end()
      if (await endsWithin(child, LAST_MOMENTS_MS)) return
      this.#ended(new Error(reason))
      this.abandon()
    })()
    return this.#giveUp
  }

  #ended(end: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#resolveEnd(end)
    this.#report(end)
    this.onclose?.()
  }

  /** Reports a lost server or pipe. After `close()` the end of the server is expected. */
  #report(error: Error): void {
    if (!this.#isClosing) this.onerror?.(error)
  }

  #receive(line: BoundedText): void {
    if (!('text' in line)) {
      if (line.answeredId === undefined) void this.#lose('the server wrote a line that is longer than a message may be')
      else this.onmessage?.(ownAnswer(line.answeredId, tooLarge(this.#maxMessageBytes)))
      return
    }
    const text = line.text.trim()
    if (text === '') return
    const { message, error: cause } = readMessage(text)
    if (cause !== undefined) {
      const quote = JSON.stringify(text.slice(0, 200))
      this.onerror?.(new Error(`the server wrote to its stdout what is no message: ${quote}`, { cause }))
    }
    if (message !== undefined) this.onmessage?.(message)
  }
}

/** Returns `true` for a child that has ended or was never started. */
function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** Returns `true` once a child has ended, or `false` after a time, in milliseconds. */
function endsWithin(child: ChildProcess, limitMs: number): Promise<boolean> {
  if (hasEnded(child)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const exited = (): void => {
      stopTimer()
      resolve(true)
    }
    const stopTimer = after(limitMs, () => {
      child.off('exit', exited)
      resolve(false)
    })
    child.once('exit', exited)
  })
}

/** Sends a signal to a child and everything that it started. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of the group is left.
  }
}

const ENDING_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Under which the copies of this module in a process count those of them that listen. */
const COPIES = Symbol.for('toolgen.mcp.ending')

const running = new Set<ChildProcess>()

/** Ends a child with this process, unless this process ends by SIGKILL. */
function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) {
    process.on('exit', killAll)
    // Before listeners that listen once: they would not be counted in their turn.
    for (const signal of ENDING_SIGNALS) process.prependListener(signal, endBySignal)
    changeCopies(1)
  }
  running.add(child)
  child.once('close', () => {
    running.delete(child)
    if (running.size === 0) stopListening()
  })
}

function killAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

function stopListening(): void {
  // A signal has stopped it already.
  if (!process.listeners('SIGTERM').includes(endBySignal)) return
  process.off('exit', killAll)
  for (const signal of ENDING_SIGNALS) process.off(signal, endBySignal)
  changeCopies(-1)
}

/** Ends this process as the signal does without a listener, unless the application listens too. */
function endBySignal(signal: NodeJS.Signals): void {
  // Copies of this module and of `signal-exit` only wait for other listeners.
  const waiting =
    countIn(process, COPIES) +
    countIn(globalThis, Symbol.for('signal-exit emitter')) +
    countIn(process, '__signal_exit_emitter__')
  if (process.listenerCount(signal) > waiting) return
  killAll()
  stopListening()
  process.kill(process.pid, signal)
}

function changeCopies(change: number): void {
  Reflect.set(process, COPIES, { count: countIn(process, COPIES) + change })
}

function countIn(owner: object, key: PropertyKey): number {
  const counted: { readonly count?: unknown } | undefined = Reflect.get(owner, key)
  return typeof counted?.count === 'number' ? counted.count : 0
}

/** Number of lines of stderr that are quoted, and of their characters. */
const QUOTED_LINES = 3
const LONGEST_QUOTE = 500

/** Lines that say where an error came from, and those that Node adds. */
const BACKGROUND = /^(?:at .*|\^+|Node\.js v[\d.]+)?$/

const NAMES_ERROR = /^(?:Uncaught |npm )?[\w.$]*(?:error|exception)\b/i

/** The end of a server that this side started, with the error that it wrote to stderr. */
export class ServerEnd extends Error {
  override readonly name = 'ServerEnd'
  /** The message for a request that was not answered. */
  readonly unanswered: string

  constructor(status: number | string | null, stderr: string) {
    const end = `the server ended with ${typeof status === 'number' ? `code ${status}` : status}`
    const quote = quotedError(stderr)
    super(`${end}${quote}`)
    this.unanswered = `${end} before it answered${quote}`
  }
}

/** Returns the lines from the first one that names an error, else the last lines; in one line. */
function quotedError(stderr: string): string {
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => !BACKGROUND.test(line))
  const error = lines.findIndex((line) => NAMES_ERROR.test(line))
  const text = (error < 0 ? lines.slice(-QUOTED_LINES) : lines.slice(error, error + QUOTED_LINES)).join(' / ')
  if (text === '') return ''
  return `: ${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}`
}
