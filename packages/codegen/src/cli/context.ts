import type { Writable } from 'node:stream'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import type { Evaluated, ProjectOptions } from '../project.js'
import type { ExitCode } from './format.js'
import type { Report, ReporterKind } from './report.js'
import type { Terminal } from './terminal.js'

export interface ProcessContext {
  readonly terminal: Terminal
  readonly cwd: string
  /** For messages of a protocol such as MCP. Commands print other text with `terminal`. */
  readonly output: Writable
  /** Opens standard input, which most commands do not read. */
  readonly input: () => NodeJS.ReadStream
  readonly onEvaluate?: (what: Evaluated) => void
  /**
   * Registers a listener for errors that timers and promises of evaluated code do not catch. Without a listener, such an error ends the process.
   * Absent if a program calls the command as a function.
   */
  readonly onBackgroundError?: (listener: (thrown: unknown) => void) => void
}

export interface CommonOptions {
  readonly cwd?: string
  readonly config?: string
  readonly verbose?: boolean
  readonly reporter?: ReporterKind
  readonly json?: boolean
}

export interface CommandContext extends ProcessContext {
  /** Absolute path, to which the option `--cwd` is already applied. */
  readonly cwd: string
  readonly reporter: ReporterKind
  readonly project: ProjectOptions
  /** By default, locations are relative to `cwd`, and only the number of notes is printed. */
  report(diagnostics: readonly Diagnostic[], more?: Partial<Report>): ExitCode
}

export function integerOption(option: string, text: string | undefined): Checked<number> {
  if (text === undefined) return { diagnostics: [] }
  if (/^\d{1,15}$/.test(text)) return { value: Number(text), diagnostics: [] }
  const message = `${option} must be an integer of 0 or more, not '${text}'.`
  return { diagnostics: [wrongUsage(message, `Write \`${option} 10\`.`)] }
}

export function wrongUsage(message: string, next: string, near: readonly string[] = []): Diagnostic {
  return errorAt(undefined, 'TG0001', message, next, near.length > 0 ? { near } : {})
}

export function urlIn([word, ...more]: readonly string[]): string | undefined {
  return more.length === 0 && word !== undefined && /^https?:\/\//.test(word) ? word : undefined
}

export const defaultPort = 3000

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

export const sourceKinds = ['service', 'mcp', 'openapi', 'module'] as const

export type SourceKind = (typeof sourceKinds)[number]
