import type { OnStage, Stage } from '../run/stage.js'
import { count } from './count.js'
import type { Terminal } from './terminal.js'

/** One line about what is going on, rewritten where it stands. */
export interface ProgressLine {
  readonly onStage: OnStage
  /** Takes the line away; nothing may be written before. */
  clear(): void
}

/** A run that is over by then shows no line; a stage keeps the process busy, so that it must be told of before. */
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
