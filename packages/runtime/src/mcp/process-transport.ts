import { type ChildProcess, spawn } from 'node:child_process'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from './mcp-call-error.js'
import { BoundedLines, type BoundedText, nextTurn, ownAnswer, readMessage, tooLarge } from './messages.js'
import { endsWithin, endWithThisProcess, hasEnded, ServerEnd, signalGroup } from './server-process.js'

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
