import { resolve } from 'node:path'
import type { CommandContext } from './command-context.js'
import type { ReporterKind } from './report.js'

/** The options that every command takes. */
export interface CommonOptions {
  readonly cwd?: string
  readonly config?: string
  readonly reporter?: ReporterKind
  readonly json?: boolean
}

/** The context with the folder that `--cwd` names. */
export function inFolder(context: CommandContext, { cwd }: CommonOptions): CommandContext {
  return cwd === undefined ? context : { ...context, cwd: resolve(context.cwd, cwd) }
}

/** How findings are to be shown. */
export function reporterOf({ json, reporter }: CommonOptions): ReporterKind {
  return reporter ?? (json === true ? 'json' : 'pretty')
}
