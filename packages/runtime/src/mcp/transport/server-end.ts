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
