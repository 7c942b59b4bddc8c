import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { relativePath } from '../files.js'

/** A number with its word: `1 file`, `2 files`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** A path of a project as people see it: from the folder in which they stand. */
export function shownPath(root: string, path: string): string {
  return relativePath(process.cwd(), join(root, path)) || '.'
}

/** The names in an option that takes several, with commas between. */
export function namesIn(option: string): readonly string[] {
  return option.split(',').flatMap((name) => name.trim() || [])
}

/** What the process's exit code means. */
export const exitCodes: {
  readonly ok: 0
  readonly bug: 1
  readonly usage: 2
  readonly design: 3
  readonly drift: 4
  readonly breaking: 5
  readonly lint: 6
} = { ok: 0, bug: 1, usage: 2, design: 3, drift: 4, breaking: 5, lint: 6 }

/** An exit code that the commands give. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Findings about generated files that are not what toolgen wrote or would write, and about snapshots likewise. */
const driftCodes: readonly string[] = ['TG5001', 'TG5002', 'TG5008', 'TG5020', 'TG5021', 'TG5022', 'TG6010', 'TG6011']

/** Findings about the design that have the number of another kind. */
const designCodes: readonly string[] = ['TG0004', 'TG0005']

/**
 * The exit code for what a command found: that of the gravest kind of error, ok when there is none.
 *
 * @param maxWarnings how many warnings of lint are no finding yet; more of them are like an error. Default: any number
 */
export function exitCodeOf(
  diagnostics: readonly Diagnostic[],
  maxWarnings: number = Number.POSITIVE_INFINITY,
): ExitCode {
  const kinds = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => kindOf(code))
  const gravest = (['bug', 'usage', 'design', 'drift', 'breaking', 'lint'] as const).find((kind) =>
    kinds.includes(kind),
  )
  if (gravest !== undefined) return exitCodes[gravest]
  const warnings = diagnostics.filter(({ severity, code }) => severity === 'warning' && kindOf(code) === 'lint')
  return warnings.length > maxWarnings ? exitCodes.lint : exitCodes.ok
}

function kindOf(code: string): keyof typeof exitCodes {
  if (driftCodes.includes(code)) return 'drift'
  if (designCodes.includes(code)) return 'design'
  if (code === 'TG8101' || code === 'TG8104') return 'breaking'
  if (/^TG8[35]/.test(code)) return 'lint'
  if (/^TG[015]/.test(code)) return 'usage'
  return code.startsWith('TG9') ? 'bug' : 'design'
}

/** The folder of this package: absolute, links followed. */
export function ownFolder(): string {
  return dirname(fileURLToPath(new URL('../../package.json', import.meta.url)))
}

/** The version of this package. */
export function ownVersion(): string {
  const parsed: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return parsed.version
}
