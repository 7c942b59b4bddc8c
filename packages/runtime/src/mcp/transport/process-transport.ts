import { type ChildProcess, spawn } from 'node:child_process'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from '../../execute/mcp/mcp-call-error.js'
import { ownAnswer, tooLarge } from './answer.js'
import { type BoundedLine, BoundedLines } from './bounded-lines.js'
import { endChild, endsWithin, hasEnded } from './child-end.js'
import { endWithThisProcess, signalGroup } from './process-group.js'
import { readMessage } from './read-message.js'
import { ServerEnd } from './server-end.js'

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
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', (error) => this.onerror?.(error))
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
    this.onerror?.(how)
    this.onclose?.()
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
