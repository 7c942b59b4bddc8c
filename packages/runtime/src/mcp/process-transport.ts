import { type ChildProcess, spawn } from 'node:child_process'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from '../executors/mcp-call-error.js'
import { type BoundedLine, BoundedLines } from './bounded-lines.js'
import { ownAnswer, readMessage, tooLarge } from './messages.js'

/** How long a server that cannot be spoken to any more may take to end by itself, in milliseconds: its status says the most. */
const LAST_MOMENTS_MS = 500

/** How many characters of a server's last words are kept. */
const KEPT_STDERR = 4_000

/** A server as it is started. */
export interface ServerCommand {
  readonly command: string
  readonly args?: readonly string[]
  /**
   * Variables of the server's environment, beside the few that it gets without being asked: `HOME`, `LOGNAME`, `PATH`, `SHELL`,
   * `TERM` and `USER`, on Windows their like. It gets no others of this process, whose secrets are not for every program that
   * it starts: name what it needs, `{ API_KEY: process.env.API_KEY }`, or give all with `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /**
   * What becomes of what the server writes to stderr: `inherit` shows it. Of a server that died, the error is in the message of
   * the {@link McpCallError}, else its last lines. Default `ignore`.
   */
  readonly stderr?: 'inherit' | 'ignore'
}

/**
 * Speaks to a server over its stdin and stdout. The server leads a process group of its own, so that all that it started ends
 * with it.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void
  readonly #server: ServerCommand
  readonly #maxMessageBytes: number
  readonly #lines: BoundedLines
  #child: ChildProcess | undefined
  #stderr = ''
  #queue: Promise<void> = Promise.resolve()
  #isClosing = false
  #lost: Promise<void> | undefined
  #isOver = false
  #tellEnd: (how: Error) => void = () => {}
  readonly #over: Promise<Error> = new Promise((resolve) => {
    this.#tellEnd = resolve
  })

  constructor(server: ServerCommand, maxMessageBytes: number) {
    this.#server = server
    this.#maxMessageBytes = maxMessageBytes
    this.#lines = new BoundedLines(maxMessageBytes)
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
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    child.stdout.once('end', () => void this.#lose('the server has closed its stdout'))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk}`.slice(-KEPT_STDERR)
      if (stderr === 'inherit') process.stderr.write(chunk)
    })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', (error) => this.#report(error))
    // What a server leaves behind may hold its pipes open: its own end counts.
    child.once('exit', (code, signal) => this.#exited(child, code ?? signal))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    endWithThisProcess(child)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    const failed = await new Promise<Error | undefined | null>((resolve) => {
      if (!stdin?.writable) resolve(undefined)
      else stdin.write(`${JSON.stringify(message)}\n`, (error) => resolve(error ?? null))
    })
    if (failed === null) return
    // Whoever calls next is to find the connection closed.
    await this.#lose('the server does not read its stdin')
    throw notTaken(failed, this.#child && (await this.#over))
  }

  async close(): Promise<void> {
    if (this.#child === undefined || hasEnded(this.#child)) return
    this.#isClosing = true
    await endChild(this.#child)
  }

  /** Kills the server with all that it started. */
  abandon(): void {
    if (this.#child !== undefined) signalGroup(this.#child, 'SIGKILL')
  }

  /** A server that lives and cannot be spoken to has ended. */
  #lose(how: string): Promise<void> {
    this.#lost ??= (async () => {
      const child = this.#child
      if (child === undefined || this.#isClosing || hasEnded(child)) return
      child.stdin?.end()
      if (await endsWithin(child, LAST_MOMENTS_MS)) return
      this.#end(new Error(how))
      this.abandon()
    })()
    return this.#lost
  }

  #exited(child: ChildProcess, status: number | string | null): void {
    signalGroup(child, 'SIGKILL')
    // Messages that came before the end are heard before it.
    setImmediate(() => {
      void this.#queue.then(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
        this.#end(new ServerEnd(status, this.#stderr))
      })
    })
  }

  #end(how: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#tellEnd(how)
    this.#report(how)
    this.onclose?.()
  }

  /** Reports a lost server or pipe. After `close()` the end of the server is expected, and is not an error. */
  #report(error: Error): void {
    if (!this.#isClosing) this.onerror?.(error)
  }

  #take(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      // One after the other: the SDK forgets progress that comes in one go with its answer.
      this.#queue = this.#queue.then(() => this.#hear(line)).then(() => nextTurn())
    }
  }

  #hear(line: BoundedLine): void {
    if (line.kind === 'line') this.#read(new TextDecoder().decode(line.bytes).trim())
    else if (line.id !== undefined) this.onmessage?.(ownAnswer(line.id, tooLarge(this.#maxMessageBytes)))
    else void this.#lose('the server wrote a line that is longer than a message may be')
  }

  #read(text: string): void {
    if (text === '') return
    const read = readMessage(text)
    if (read.kind === 'message') this.onmessage?.(read.message)
    else {
      this.#garbage(text, read.cause)
      if (read.answer !== undefined) this.onmessage?.(read.answer)
    }
  }

  #garbage(text: string, cause: unknown): void {
    const shown = JSON.stringify(text.slice(0, 200))
    this.onerror?.(new Error(`the server wrote to its stdout what is no message: ${shown}`, { cause }))
  }
}

/** A server that has ended, of which nobody may have heard yet; what it complained of says more than its closed pipe. */
function notTaken(cause?: Error, end?: Error): McpCallError {
  if (end instanceof ServerEnd) return new McpCallError('closed', end.unanswered)
  return new McpCallError('closed', 'the server does not take messages any more', cause && { cause })
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** How long a server may take to end by itself, and then after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000

/** Whether a child runs no more, or never did. */
function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** Whether a child ends in time, in milliseconds. */
async function endsWithin(child: ChildProcess, limitMs: number): Promise<boolean> {
  if (hasEnded(child)) return true
  return new Promise((resolve) => {
    const end = (): void => finish(true)
    const timer = setTimeout(() => finish(false), limitMs)
    const finish = (ended: boolean): void => {
      clearTimeout(timer)
      child.off('exit', end)
      resolve(ended)
    }
    child.once('exit', end)
  })
}

/** Ends a child with all that it started: its stdin is closed, then it is asked, then it is made to. */
async function endChild(child: ChildProcess): Promise<void> {
  child.stdin?.end()
  if (await endsWithin(child, GRACE_MS)) return
  signalGroup(child, 'SIGTERM')
  if (await endsWithin(child, GRACE_MS)) return
  signalGroup(child, 'SIGKILL')
  await new Promise<void>((resolve) => {
    if (hasEnded(child)) resolve()
    else child.once('exit', () => resolve())
  })
}

/** The signals by which a process is usually ended from outside. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

const running = new Set<ChildProcess>()

/** Where the copies of this module in a process count those of them that listen. */
const COPIES = Symbol.for('toolgen.mcp.ending')

/** Has a child, the leader of a group of its own, ended with this process, however this process ends but by SIGKILL. */
function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) listen()
  running.add(child)
  child.once('close', () => {
    running.delete(child)
    if (running.size === 0) stopListening()
  })
}

/** Sends a signal to a child and all that it started. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of the group is left.
  }
}

function killAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

function listen(): void {
  process.on('exit', killAll)
  // Before those that listen once: by their turn they are no listeners any more, and would not be counted.
  for (const signal of ENDING) process.prependListener(signal, endBySignal)
  Reflect.set(process, COPIES, { count: countIn(process, COPIES) + 1 })
}

function stopListening(): void {
  // A signal has done it before.
  if (!process.listeners('SIGTERM').includes(endBySignal)) return
  process.off('exit', killAll)
  for (const signal of ENDING) process.off(signal, endBySignal)
  Reflect.set(process, COPIES, { count: countIn(process, COPIES) - 1 })
}

/** Without this listener the signal would end this process, and so it does: unless the application listens too. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > waiting()) return
  killAll()
  stopListening()
  process.kill(process.pid, signal)
}

/** How many only wait for whoever else listens, as this one does: copies of this module, and those of `signal-exit`. */
function waiting(): number {
  const ofSignalExit = countIn(globalThis, Symbol.for('signal-exit emitter'))
  return countIn(process, COPIES) + ofSignalExit + countIn(process, '__signal_exit_emitter__')
}

function countIn(owner: object, key: PropertyKey): number {
  const counted: unknown = Reflect.get(owner, key)
  const count: unknown = typeof counted === 'object' && counted !== null ? Reflect.get(counted, 'count') : 0
  return typeof count === 'number' ? count : 0
}

/** How many of a server's last lines are quoted, and how many characters of them. */
const QUOTED_LINES = 3
const LONGEST_QUOTE = 500

/** Where errors came from, and what Node adds to them. */
const BACKGROUND = /^(?:at .*|\^+|Node\.js v[\d.]+)?$/

/** How a line begins that names an error. */
const NAMES_ERROR = /^(?:Uncaught |npm )?[\w.$]*(?:error|exception)\b/i

/** Tells that a server which this side started has ended, with what it complained of. */
export class ServerEnd extends Error {
  override readonly name = 'ServerEnd'
  /** The same, said of a request that was not answered. */
  readonly unanswered: string

  constructor(status: number | string | null, stderr: string) {
    const end = `the server ended with ${typeof status === 'number' ? `code ${status}` : status}`
    const words = lastWords(stderr)
    const quote = words === '' ? '' : `: ${words}`
    super(`${end}${quote}`)
    this.unanswered = `${end} before it answered${quote}`
  }
}

/** What a server wrote from the first line that names an error, else its last lines; in one line. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => !BACKGROUND.test(line))
  const error = lines.findIndex((line) => NAMES_ERROR.test(line))
  const quoted = error < 0 ? lines.slice(-QUOTED_LINES) : lines.slice(error, error + QUOTED_LINES)
  const words = quoted.join(' / ')
  return words.length > LONGEST_QUOTE ? `${words.slice(0, LONGEST_QUOTE)}…` : words
}
