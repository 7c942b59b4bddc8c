import type { Writable } from 'node:stream'
import type { Evaluated } from '../run/compile-project.js'
import type { Terminal } from './terminal.js'

/** What every command is given. */
export interface CommandContext {
  readonly terminal: Terminal
  /** The folder in which the command was started: absolute. */
  readonly cwd: string
  /** Standard output, for a protocol that is spoken over it. */
  readonly output: Writable
  /** Standard input, for questions. */
  readonly input: NodeJS.ReadStream
  /** Told what is about to be evaluated. */
  readonly onEvaluate?: (what: Evaluated) => void
}
