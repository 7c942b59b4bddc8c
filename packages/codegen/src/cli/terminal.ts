import process from 'node:process'
import type { WriteStream } from 'node:tty'
import type { OnStage, Stage } from '../project.js'
import { count } from './format.js'

/** The output of a command. Data goes to `out`, everything for people to `note`. */
export interface Terminal {
  /** Standard output. */
  out(text: string): void
  /** Standard error. */
  note(text: string): void
  /** True if people read standard output: then control characters must not reach it. */
  readonly outIsTerminal: boolean
  /** True if people watch standard error: then a line can be overwritten. */
  readonly noteIsTerminal: boolean
  /** Colours for standard output. */
  readonly outStyle: Style
  /** Colours for standard error. */
  readonly noteStyle: Style
}

/** Marks text with a colour, or leaves it as it is. */
export type Style = (colour: Colour, text: string) => string

type Colour = keyof typeof codes

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

const coloured: Style = (colour, text) => `\u001b[${codes[colour][0]}m${text}\u001b[${codes[colour][1]}m`
const plain: Style = (_colour, text) => text

/** Opens the process's streams, with colours where a stream is a terminal and nobody asked for none. */
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

/** Checks whether the environment allows colours: `NO_COLOR` (any text) and `TERM=dumb` forbid them. */
export function allowsColour(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
}

/** One line about what is going on, rewritten where it stands. */
interface ProgressLine {
  readonly onStage: OnStage
  /** Takes the line away; nothing may be written before. */
  clear(): void
}

/** Shorter runs show no line. */
const PATIENCE_MS = 500

const words: Readonly<Record<Stage, (size: number) => string>> = {
  evaluate: (size) => `evaluating ${count(size, 'design module')}`,
  bind: (size) => `reading the types behind ${count(size, 'tool')}`,
  emit: (size) => `writing the code of ${count(size, 'tool')}`,
  compare: (size) => `comparing ${count(size, 'file')}`,
}

/**
 * Shows on a terminal what a long run is doing; elsewhere nothing.
 *
 * @param elapsed milliseconds since the run began
 */
export function progressLine(terminal: Terminal, elapsed: () => number): ProgressLine {
  let shown = 0
  const rewrite = (text: string): void => {
    // Spaces over what stood there: they need no terminal that knows more than carriage returns.
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

/** Returns the first of these signals ends what a command does; a second one ends the process at once, as it does everywhere. */
export function nextSignal(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    const listener = (): void => {
      resolve()
      // Not at once: libraries that end child processes look whether somebody else listens, and else end the process.
      setImmediate(() => {
        for (const signal of signals) process.off(signal, listener)
      })
    }
    for (const signal of signals) process.on(signal, listener)
  })
}
