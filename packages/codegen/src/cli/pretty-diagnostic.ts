import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic, Severity, SourcePlace } from '../diagnostics/diagnostic.js'
import { printable } from '../text/printable.js'
import { codeFrame } from './code-frame.js'
import type { Style } from './terminal.js'

/** How a diagnostic is shown to people. */
export interface Look {
  /** The folder to which places are relative: absolute. */
  readonly root: string
  /** A place's file as people see it. */
  readonly pathOf: (file: string) => string
  readonly style: Style
}

const colours: Readonly<Record<Severity, 'red' | 'yellow' | 'cyan'>> = { error: 'red', warning: 'yellow', note: 'cyan' }

/** A diagnostic with its place, the code around it, what to do, and what else is known; ends with an empty line. */
export function prettyDiagnostic(diagnostic: Diagnostic, look: Look): string {
  const { code, severity, message, place, next, near, related } = diagnostic
  const { style } = look
  const lines = [
    `${placeText(place, look)}${style(colours[severity], severity)} ${style('bold', code)}: ${shown(message)}`,
    ...frameAt(place, look),
    ...(related ?? []).map((fact) => `  ${style('dim', '-')} ${placeText(fact.place, look)}${shown(fact.message)}`),
    `  ${style('green', 'do:')} ${shown(next)}`,
    // A single near name stands in the next step already.
    ...(near !== undefined && near.length > 1 ? [`  ${style('dim', 'near:')} ${shown(near.join(', '))}`] : []),
  ]
  return `${lines.join('\n')}\n\n`
}

/** Every line but the first is indented: whatever a text says, it does not look like a finding of its own. */
function shown(text: string): string {
  return printable(text).replaceAll('\n', '\n      ')
}

function placeText(place: SourcePlace | undefined, { pathOf, style }: Look): string {
  if (place === undefined) return ''
  return `${style('cyan', printable(`${pathOf(place.file)}:${place.line}:${place.column}`))} - `
}

function frameAt(place: SourcePlace | undefined, { root, style }: Look): readonly string[] {
  if (place === undefined) return []
  let text: string
  try {
    text = readFileSync(join(root, place.file), 'utf8')
  } catch {
    // The place may be a folder, or a file that is missing: that is then what the diagnostic says.
    return []
  }
  return codeFrame(text, place, style)
}
