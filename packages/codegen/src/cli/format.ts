import { join } from 'node:path'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { ownText, relativePath, templateFile } from '../files.js'

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

export function shownPath(root: string, path: string): string {
  return relativePath(process.cwd(), join(root, path)) || '.'
}

export function namesIn(option: string): readonly string[] {
  return option.split(',').flatMap((name) => name.trim() || [])
}

export const exitCodes: {
  readonly ok: 0
  readonly bug: 1
  readonly usage: 2
  readonly design: 3
  readonly drift: 4
  readonly breaking: 5
  readonly lint: 6
  readonly call: 7
} = { ok: 0, bug: 1, usage: 2, design: 3, drift: 4, breaking: 5, lint: 6, call: 7 }

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const driftCodes: readonly string[] = ['TG5001', 'TG5002', 'TG5008', 'TG5020', 'TG5021', 'TG5022', 'TG6010']

/** All other codes with the prefix `TG0` report usage errors. */
const designCodes: readonly string[] = ['TG0004', 'TG0005']

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
  if (/^TG([015]|6007)/.test(code)) return 'usage'
  return code.startsWith('TG9') ? 'bug' : 'design'
}

export function ownVersion(): string {
  const parsed: { readonly version: string } = JSON.parse(ownText('package.json'))
  return parsed.version
}

export function templateText(path: string, values: Readonly<Record<string, string>>): string {
  return filled(templateFile(path), values)
}

export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/__([a-zA-Z]+)__/g, (_, name: string) => values[name] ?? name)
}
