import type { WriteStream } from 'node:tty'

/** Where a command writes. Data goes to `out`, everything for people's eyes to `note`. */
export interface Terminal {
  /** Standard output. */
  out(text: string): void
  /** Standard error. */
  note(text: string): void
  /** Whether people read standard output as it is: then control characters must not reach it. */
  readonly outIsTerminal: boolean
  /** Whether people watch standard error: then a line may be written over. */
  readonly noteIsTerminal: boolean
  /** Colours for standard output. */
  readonly outStyle: Style
  /** Colours for standard error. */
  readonly noteStyle: Style
}

/** Marks text with a colour, or leaves it as it is. */
export type Style = (colour: Colour, text: string) => string

/** The colours that the commands use. */
export type Colour = keyof typeof codes

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

const coloured: Style = (colour, text) => `\u001b[${codes[colour][0]}m${text}\u001b[${codes[colour][1]}m`
const plain: Style = (_colour, text) => text

/** The process's streams, with colours where a stream is a terminal and nobody asked for none. */
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

/** What is needed of a stream. */
export type WritableStream = Pick<NodeJS.WritableStream, 'write'> & Partial<Pick<WriteStream, 'isTTY'>>

/** Whether the environment allows colours: `NO_COLOR` (any text) and `TERM=dumb` forbid them. */
export function allowsColour(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
}
