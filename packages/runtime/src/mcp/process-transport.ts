import { type ChildProcess, spawn } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import { after } from '../call/timers.js'
import { McpCallError } from './mcp-call-error.js'
import { BoundedLines, type BoundedText, nextTurn, ownAnswer, readMessage, tooLarge } from './messages.js'
import { endsWithin, endWithThisProcess, hasEnded, ServerEnd, signalGroup } from './server-process.js'

/** Maximum wait for the exit of a server that has closed its stdin or stdout. After the exit, the server's pipes have the same time to close. */
const LAST_MOMENTS_MS = 2_000

const GRACE_MS = 2_000

const MAX_STDERR = 4_000

export interface ServerCommand {
  readonly command: string
  readonly args?: readonly string[]
  /**
   * Environment variables of the server, in addition to `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER` (on Windows, similar variables). The
   * server does not inherit other variables, because they can be secrets. Pass the variables that the server needs, for example `{ API_KEY:
   * process.env.API_KEY }`. To pass all variables, use `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /**
   * `inherit`: the server's stderr is printed to the stderr of this process. `ignore`: the server's stderr is not printed. Default: `ignore`. The
   * option does not affect error messages: after an unexpected end of the server, the {@link McpCallError} quotes the server's stderr.
   */
  readonly stderr?: 'inherit' | 'ignore'
  /**
   * Set this option to `false` to omit the server's stderr from error messages. The stderr can contain secrets of the server's environment.
   * Default: `true`.
   */
  readonly quoteStderr?: boolean
}

/**
 * In contrast to the SDK's transport, this class starts the server in a new process group, so that the child processes of the server end with the
 * server.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void
  /**
   * The SDK recognizes a stdio transport by the properties `stderr` and `pid`. Only for a stdio transport, the SDK uses an older protocol if the
   * server does not respond to `server/discover` in time.
   */
  readonly stderr = null
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
    child.stdout.once('end', () => void this.#lose('the server closed its stdout'))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk}`.slice(-MAX_STDERR)
      if (stderr === 'inherit') process.stderr.write(chunk)
    })
    for (const stream of [child.stdout, child.stderr]) stream.on('error', (error) => this.#report(error))
    // `send` reports this error.
    child.stdin.on('error', () => undefined)
    child.once('exit', async (code, signal) => {
      signalGroup(child, 'SIGKILL')
      await (this.#isClosing ? nextTurn() : pipesClosed(child))
      await this.#delivery
      child.stdout.destroy()
      child.stderr.destroy()
      this.#ended(new ServerEnd(code ?? signal, this.#server.quoteStderr === false ? '' : this.#stderr))
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
    // Closes the connection, so that the next call opens a new one. The exit status of the server explains more than
    // the closed pipe.
    await this.#lose('the server does not read its stdin')
    const end = this.#child && (await this.#end)
    throw end instanceof ServerEnd
      ? new McpCallError('closed', end.unanswered)
      : new McpCallError('closed', 'the server no longer accepts messages', error && { cause: error })
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

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

  abandon(): void {
    if (this.#child !== undefined) signalGroup(this.#child, 'SIGKILL')
  }

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

  #report(error: Error): void {
    if (!this.#isClosing) this.onerror?.(error)
  }

  #receive(line: BoundedText): void {
    if (!('text' in line)) {
      if (line.answeredId === undefined) void this.#lose('the server wrote a line that is longer than maxMessageBytes')
      else this.onmessage?.(ownAnswer(line.answeredId, tooLarge(this.#maxMessageBytes)))
      return
    }
    const text = line.text.trim()
    if (text === '') return
    const { message, error: cause } = readMessage(text)
    if (cause !== undefined) {
      const quote = JSON.stringify(text.slice(0, 200))
      this.onerror?.(new Error(`the server wrote a line to stdout that is not a message: ${quote}`, { cause }))
    }
    if (message !== undefined) this.onmessage?.(message)
  }
}

/**
 * The pipes of an exited child process can still contain messages and an error. The wait is limited, because a process outside the process group can
 * keep the pipes open.
 */
function pipesClosed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = after(LAST_MOMENTS_MS, resolve)
    child.once('close', () => {
      stopTimer()
      resolve()
    })
  })
}
