import { resolve } from 'node:path'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { foundAt } from '../evaluate/found-at.js'
import type { CommandContext } from './command-context.js'
import type { ReporterKind } from './report.js'

/** The options that every command takes, and those of the commands that work on a project. */
export interface CommonOptions {
  readonly cwd?: string
  readonly config?: string
  /** Show every note in full. */
  readonly verbose?: boolean
  readonly reporter?: ReporterKind
  readonly json?: boolean
}

/** The context with the folder that `--cwd` names. */
export function inFolder(context: CommandContext, { cwd }: CommonOptions): CommandContext {
  return cwd === undefined ? context : { ...context, cwd: resolve(context.cwd, cwd) }
}

/** The error of a `--cwd` that is no folder. */
export function noSuchFolder({ cwd }: CommandContext, { cwd: named }: CommonOptions): Diagnostic | undefined {
  const found = foundAt(cwd)
  if (found?.isDirectory() === true) return undefined
  return {
    code: 'TG0008',
    severity: 'error',
    message: found === undefined ? `The folder \`${named}\` does not exist.` : `\`${named}\` is no folder.`,
    next: 'Correct --cwd; it is relative to the folder in which the command is started.',
  }
}

/** How findings are to be shown. */
export function reporterOf({ json, reporter }: CommonOptions): ReporterKind {
  return reporter ?? (json === true ? 'json' : 'pretty')
}
