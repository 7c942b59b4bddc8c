import { type ChildProcess, spawn } from 'node:child_process'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from '../../execute/mcp/mcp-call-error.js'
import { type BoundedLine, BoundedLines } from './bounded-lines.js'
import { endWithThisProcess, signalGroup } from './process-group.js'

/** How long a server may take to end by itself, and then after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000

/** How many characters of a server's last words are kept. */
const KEPT_STDERR = 4_000

/** A server as it is started. */
export interface ServerCommand {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few variables that every server gets (`PATH`, `HOME` and the like). */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What becomes of what the server writes to stderr: `inherit` shows it. Its end is in the error of a lost connection. Default `ignore`. */
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
  readonly #lines: BoundedLines
  #child: ChildProcess | undefined
  #stderr = ''
  #queue: Promise<void> = Promise.resolve()

  constructor(server: ServerCommand, maxMessageBytes: number) {
    this.#server = server
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
    if (!stdin?.writable) throw notTaken()
    const text = `${JSON.stringify(message)}\n`
    await new Promise<void>((resolve, reject) => {
      stdin.write(text, (error) => (error ? reject(notTaken(error)) : resolve()))
    })
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.pid === undefined || isOver(child)) return
    const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.stdin?.end()
    if (await inTime(over)) return
    signalGroup(child, 'SIGTERM')
    if (await inTime(over)) return
    signalGroup(child, 'SIGKILL')
    await over
  }

  #exited(child: ChildProcess, status: number | string | null): void {
    signalGroup(child, 'SIGKILL')
    // Messages that came before the end are heard before it.
    setImmediate(() => {
      void this.#queue.then(() => {
        const words = this.#stderr.trim()
        this.onerror?.(new Error(`the server ended with ${status}${words === '' ? '' : `: ${words}`}`))
        child.stdout?.destroy()
        child.stderr?.destroy()
        this.onclose?.()
      })
    })
  }

  #take(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      // One after the other: the SDK forgets progress that comes in one go with its answer.
      this.#queue = this.#queue.then(() => this.#hear(line)).then(() => nextTurn())
    }
  }

  #hear(line: BoundedLine): void {
    const text = line.kind === 'line' ? new TextDecoder().decode(line.bytes).trim() : line.answer
    if (text === '') return
    if (text === undefined) {
      this.onerror?.(new Error('the server wrote a line that is longer than a message may be'))
      void this.close()
      return
    }
    try {
      const message = JSONRPCMessageSchema.safeParse(JSON.parse(text))
      if (message.success) this.onmessage?.(message.data)
      else this.#garbage(text, message.error)
    } catch (error) {
      this.#garbage(text, error)
    }
  }

  #garbage(text: string, cause: unknown): void {
    const shown = JSON.stringify(text.slice(0, 200))
    this.onerror?.(new Error(`the server wrote to its stdout what is no message: ${shown}`, { cause }))
  }
}

/** A server that has ended, or is about to, of which nobody may have heard yet. */
function notTaken(cause?: Error): McpCallError {
  return new McpCallError('closed', 'the server does not take messages any more', cause && { cause })
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Whether something happens in time. */
async function inTime(event: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), GRACE_MS)
  })
  const happened = await Promise.race([event.then(() => true), late])
  clearTimeout(timer)
  return happened
}
