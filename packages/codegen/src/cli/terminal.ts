import { createInterface } from 'node:readline/promises'
import type { WriteStream } from 'node:tty'
import type { OnStage, Stage } from '../project.js'
import { count } from './format.js'

/** `out` is for data, and `note` is for messages to people. */
export interface Terminal {
  out(text: string): void
  note(text: string): void
  /** Commands escape control characters if standard output is a terminal. */
  readonly outIsTerminal: boolean
  readonly noteIsTerminal: boolean
  readonly outStyle: Style
  readonly noteStyle: Style
}

export type Style = (colour: Colour, text: string) => string

type Colour = keyof typeof codes

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

const coloured: Style = (colour, text) => `\u001b[${codes[colour][0]}m${text}\u001b[${codes[colour][1]}m`
const plain: Style = (_colour, text) => text

export function openTerminal(
  streams: { readonly stdout: WritableStream; readonly stderr: WritableStream },
  options: { readonly colour: boolean },
): Terminal {
  const styleFor = (stream: WritableStream): Style => (options.colour && stream.isTTY === true ? coloured : plain)
  return {
    out: (text) => void streams.stdout.write(text),
    note: (text) => void streams.stderr.write(text),
    outIsTerminal: streams.stdout.isTTY === true,
    noteIsTerminal: streams.stderr.isTTY === true,
    outStyle: styleFor(streams.stdout),
    noteStyle: styleFor(streams.stderr),
  }
}

type WritableStream = Pick<NodeJS.WritableStream, 'write'> & Partial<Pick<WriteStream, 'isTTY'>>

export function allowsColour(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
}

/** The answer is `undefined` at the end of the input. */
export type Ask = (question: string) => Promise<string | undefined>

export function questions(
  context: { readonly input: () => NodeJS.ReadStream; readonly terminal: Terminal },
  mayAsk: boolean,
): { readonly ask: Ask | undefined; readonly close: () => void } {
  const input = mayAsk ? context.input() : undefined
  if (input?.isTTY !== true) return { ask: undefined, close: () => undefined }
  const reader = createInterface({ input })
  const lines = reader[Symbol.asyncIterator]()
  const ask: Ask = async (question) => {
    context.terminal.note(question)
    const { done, value } = await lines.next()
    return done === true ? undefined : value.trim()
  }
  return { ask, close: () => reader.close() }
}

interface ProgressLine {
  readonly onStage: OnStage
  /** Call this method before any other output. */
  clear(): void
}

/** Shorter runs show no progress line. */
const PATIENCE_MS = 500

const words: Readonly<Record<Stage, (size: number) => string>> = {
  evaluate: (size) => `evaluating ${count(size, 'design module')}`,
  bind: (size) => `reading the types behind ${count(size, 'tool')}`,
  emit: (size) => `writing the code of ${count(size, 'tool')}`,
  compare: (size) => `comparing ${count(size, 'file')}`,
}

export function progressLine(terminal: Terminal, elapsed: () => number): ProgressLine {
  let shown = 0
  const rewrite = (text: string): void => {
    // Overwrites the previous text with spaces, which works on every terminal.
    terminal.note(`\r${text.padEnd(shown)}${text === '' ? '\r' : ''}`)
    shown = text.length
  }
  return {
    onStage: (stage, size) => {
      if (terminal.noteIsTerminal && elapsed() >= PATIENCE_MS) rewrite(`${words[stage](size)} ...`)
    },
    clear: () => {
      if (shown > 0) rewrite('')
    },
  }
}

export function nextSignal(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => void new EndSignals(signals, resolve))
}

/**
 * Disables the signal handlers of toolgen between `begin` and `end`, while code of the user runs. A signal then ends the process even during an
 * endless loop.
 */
export interface SignalPause {
  begin(): void
  end(): void
}

/** A second signal ends the process at once. */
export class EndSignals {
  readonly #signals: readonly NodeJS.Signals[]
  readonly #listener: () => void
  readonly #pauses = new Set<SignalPause>()
  #isListening = false
  #hasEnded = false

  constructor(signals: readonly NodeJS.Signals[], onSignal: () => void) {
    this.#signals = signals
    this.#listener = () => {
      this.#hasEnded = true
      onSignal()
      // The listener is removed later. Libraries that end child processes check for listeners of the signal; without a
      // listener, they would also end this process.
      setImmediate(() => this.#update())
    }
    this.#update()
  }

  pause(): SignalPause {
    const pause: SignalPause = {
      begin: () => {
        this.#pauses.add(pause)
        this.#update()
      },
      end: () => {
        this.#pauses.delete(pause)
        this.#update()
      },
    }
    return pause
  }

  #update(): void {
    const listens = !this.#hasEnded && this.#pauses.size === 0
    if (listens === this.#isListening) return
    this.#isListening = listens
    for (const signal of this.#signals) {
      if (listens) process.on(signal, this.#listener)
      else process.off(signal, this.#listener)
    }
  }
}
