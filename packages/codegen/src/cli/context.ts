import type { Writable } from 'node:stream'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import type { Evaluated, ProjectOptions } from '../project.js'
import type { ExitCode } from './format.js'
import type { Report, ReporterKind } from './report.js'
import type { Terminal } from './terminal.js'

/** The process in which commands run. */
export interface ProcessContext {
  readonly terminal: Terminal
  /** The current folder: absolute. */
  readonly cwd: string
  /** Standard output, for a protocol that is spoken over it. */
  readonly output: Writable
  /** Standard input, for questions. */
  readonly input: NodeJS.ReadStream
  /** Called before each evaluation. */
  readonly onEvaluate?: (what: Evaluated) => void
}

/** The options that every command takes, and those of the commands that work on a project. */
export interface CommonOptions {
  readonly cwd?: string
  readonly config?: string
  /** Show every note in full. */
  readonly verbose?: boolean
  readonly reporter?: ReporterKind
  readonly json?: boolean
}

/** The context of one command. */
export interface CommandContext extends ProcessContext {
  /** The folder in which the command works: absolute. */
  readonly cwd: string
  readonly reporter: ReporterKind
  /** The project that the options select. */
  readonly project: ProjectOptions
  /** Reports diagnostics and returns the exit code. Default: relative to `cwd`, with counted notes without `--verbose`. */
  report(diagnostics: readonly Diagnostic[], more?: Partial<Report>): ExitCode
}

/** Returns the value of an option that takes an integer, 0 or more; no value if the option is absent. */
export function integerOption(option: string, text: string | undefined): Checked<number> {
  if (text === undefined) return { diagnostics: [] }
  if (/^\d{1,15}$/.test(text)) return { value: Number(text), diagnostics: [] }
  const message = `${option} takes a whole number, and not '${text}'.`
  return { diagnostics: [wrongUsage(message, `Write \`${option} 10\`.`)] }
}

/** Returns the error for a wrong command line, with the words that may have been meant. */
export function wrongUsage(message: string, next: string, near: readonly string[] = []): Diagnostic {
  return errorAt(undefined, 'TG0001', message, next, near.length > 0 ? { near } : {})
}

/** The default port of `toolgen serve`. */
export const defaultPort = 3000

/** The shells with completions. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** One of {@link shells}. */
export type Shell = (typeof shells)[number]

/** The sources from which `toolgen init` starts a project. */
export const sourceKinds = ['service', 'mcp', 'openapi', 'module'] as const

/** One of {@link sourceKinds}. */
export type SourceKind = (typeof sourceKinds)[number]
