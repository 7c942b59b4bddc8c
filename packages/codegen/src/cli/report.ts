import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { type Diagnostic, type Severity, type SourceLocation, sortDiagnostics } from '../diagnostics/diagnostic.js'
import { relativePath } from '../files.js'

import { printable } from '../text.js'
import { count, type ExitCode, exitCodeOf, shownPath } from './format.js'
import type { Style, Terminal } from './terminal.js'

/** The form of a report: for people, one JSON object, or annotations of GitHub Actions. */
export type ReporterKind = 'pretty' | 'json' | 'github'

/** The content of a report. */
export interface Report {
  readonly command: string
  /** The command line that shows the counted notes, together with `--verbose`. Default: the command. */
  readonly again?: string
  /** Absolute path of the folder to which the diagnostics' locations are relative. */
  readonly root: string
  readonly diagnostics: readonly Diagnostic[]
  /** `counted`: only the number of notes is shown; JSON has them all. Default: `full`. */
  readonly notes?: 'full' | 'counted'
  /** One or more lines for people. */
  readonly summary?: string
  /** Prints the JSON object on one line, as one of several. Default: false. */
  readonly oneLine?: boolean
  /** Maximum number of lint warnings. Default: any number. */
  readonly maxWarnings?: number
  /** Further fields of the JSON object. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Shows the diagnostics of a command and returns its exit code. Only JSON goes to standard output. */
export function report(kind: ReporterKind, terminal: Terminal, content: Report): ExitCode {
  const { command, root, summary, facts } = content
  const diagnostics = sortDiagnostics(content.diagnostics)
  const exitCode = exitCodeOf(diagnostics, content.maxWarnings)
  if (kind === 'json') {
    const indent = content.oneLine === true ? undefined : 2
    terminal.out(`${JSON.stringify({ command, exitCode, diagnostics, ...facts }, null, indent)}\n`)
    return exitCode
  }
  const show = kind === 'github' ? githubAnnotation : prettyDiagnostic
  // GitHub wants paths from the repository's root, people want them from where they stand.
  const workspace = kind === 'github' ? process.env.GITHUB_WORKSPACE : undefined
  const pathOf = (file: string): string =>
    workspace === undefined ? shownPath(root, file) : relativePath(workspace, join(root, file))
  const counted = content.notes === 'counted'
  const shown = diagnostics.filter(({ severity }) => !counted || severity !== 'note')
  for (const diagnostic of shown) terminal.note(show(diagnostic, { root, pathOf, style: terminal.noteStyle }))
  const left = diagnostics.length - shown.length
  if (left > 0) {
    terminal.note(
      `${count(left, 'note')} (toolgen ${content.again ?? command} --verbose shows ${left === 1 ? 'it' : 'them'})\n`,
    )
  }
  if (summary !== undefined) terminal.note(`${summary}\n`)
  return exitCode
}

/** Returns the reporter of a command line before it is parsed. */
export function requestedReporter(args: readonly string[]): ReporterKind {
  const named = args.flatMap((arg, index) =>
    arg === '--reporter' ? [args[index + 1]] : arg.startsWith('--reporter=') ? [arg.slice(11)] : [],
  )[0]
  if (named === 'json' || named === 'github') return named
  return args.includes('--json') ? 'json' : 'pretty'
}

interface Look {
  /** Absolute path of the folder to which locations are relative. */
  readonly root: string
  /** Returns a location's file for people. */
  readonly pathOf: (file: string) => string
  readonly style: Style
}

const colours: Readonly<Record<Severity, 'red' | 'yellow' | 'cyan'>> = { error: 'red', warning: 'yellow', note: 'cyan' }

/** Returns a diagnostic with its location, the code around it, what to do, and what else is known; ends with an empty line. */
export function prettyDiagnostic(diagnostic: Diagnostic, look: Look): string {
  const { code, severity, message, location, next, near, related } = diagnostic
  const { style } = look
  const lines = [
    `${locationText(location, look)}${style(colours[severity], severity)} ${style('bold', code)}: ${shown(message)}`,
    ...frameAt(location, look),
    ...(related ?? []).map(
      (fact) => `  ${style('dim', '-')} ${locationText(fact.location, look)}${shown(fact.message)}`,
    ),
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

function locationText(location: SourceLocation | undefined, { pathOf, style }: Look): string {
  if (location === undefined) return ''
  return `${style('cyan', printable(`${pathOf(location.file)}:${location.line}:${location.column}`))} - `
}

function frameAt(location: SourceLocation | undefined, { root, style }: Look): readonly string[] {
  if (location === undefined) return []
  let text: string
  try {
    text = readFileSync(join(root, location.file), 'utf8')
  } catch {
    // The location may be a folder, or a file that is missing: that is then what the diagnostic says.
    return []
  }
  return codeFrame(text, location, style)
}

const linesBefore = 1
/** Longer lines are cut. */
const widest = 160

/** Returns the lines at a location with a mark under it; empty when the file has no such line. */
export function codeFrame(text: string, location: SourceLocation, style: Style): readonly string[] {
  const lines = text.split(/\r?\n/)
  const line = lines[location.line - 1]
  if (line === undefined || line.trim() === '') return []
  const first = Math.max(location.line - linesBefore, 1)
  const gutter = String(location.line).length
  const shown = lines.slice(first - 1, location.line).map((content, index) => {
    const number = String(first + index).padStart(gutter)
    return `  ${style('dim', `${number} |`)} ${shorten(content)}`
  })
  // Of a long line, such as that of JSON in one line, only the beginning is shown.
  if (location.column > widest) return shown
  const start = width(line.slice(0, location.column - 1))
  const length = Math.max(
    width(line.slice(location.column - 1, location.column - 1 + Math.min(location.length ?? 1, widest))),
    1,
  )
  if (start >= widest) return shown
  const mark = `${' '.repeat(start)}${style('red', '^'.repeat(Math.min(length, widest - start)))}`
  return [...shown, `  ${' '.repeat(gutter)} ${style('dim', '|')} ${mark}`]
}

function shorten(line: string): string {
  const text = spaced(line.slice(0, widest + 1))
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text
}

function width(text: string): number {
  return spaced(text).length
}

/** Tabs as two spaces, so that the mark is in the right column whatever the terminal's tabs are. */
function spaced(text: string): string {
  return printable(text.replaceAll('\t', '  '))
}

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' }

/** Returns a diagnostic as a workflow command of GitHub Actions, which shows it in the changed files. */
export function githubAnnotation(
  { code, severity, message, location, next }: Diagnostic,
  { pathOf }: { readonly pathOf: (file: string) => string },
): string {
  const properties = [
    ...(location === undefined
      ? []
      : [`file=${property(pathOf(location.file))}`, `line=${location.line}`, `col=${location.column}`]),
    `title=${code}`,
  ]
  return `::${commands[severity]} ${properties.join(',')}::${data(`${message}\n${next}`)}\n`
}

function data(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** The common message of several diagnostics of one code, by their count and the first of them. */
const headings: Readonly<Record<string, (count: number, first: Diagnostic) => string>> = {
  TG5020: (count) => `${count} generated files are missing.`,
  TG5021: (count) => `${count} generated files are not what the design gives.`,
  TG5022: (count) => `${count} generated files belong to no part of the design.`,
  TG6002: (count) => `${count} tools are listed more than once.`,
  TG6003: (count) => `${count} tools are left out, because their arguments cannot be described.`,
  TG6004: (count) => `The results of ${count} tools may be any JSON.`,
  TG6005: (count) => `${count} tools have no description.`,
  TG6006: (count) => `Models see ${count} tools under other names than their own.`,
  TG6010: (count, { location }) => `The MCP server differs from ${location?.file} in ${count} ways.`,
  TG6012: (count) => `The server runs ${count} tools as tasks alone, and will refuse their calls.`,
  TG6013: (count) => `Defaults of ${count} tools are left out.`,
  TG6014: (count) => `${count} entries of the list have no name and are left out.`,
  TG6021: () => 'Entries that are no functions are left out.',
  TG6022: (count) => `${count} functions have the name of another one.`,
  TG6202: (count) => `${count} operations are left out.`,
  TG6203: (count) => `${count} references lead to other documents, which are not fetched.`,
  TG6204: (count) => `${count} operations have no \`operationId\`.`,
  TG6205: (count) => `${count} operations have the \`operationId\` of another one.`,
  TG6206: (count) => `${count} parameters and fields have other names in their tools.`,
  TG6208: (count) => `${count} patterns are left out.`,
  TG6209: (count) => `${count} parameters and bodies are left out.`,
  TG6210: (count) => `${count} integers are rounded.`,
  TG6211: (count) => `${count} keys stand more than once; the last of each counts.`,
  TG6212: (count) => `${count} parameters, bodies and answers are text whose schema is not used.`,
  TG6213: (count) => `${count} ways to prove who asks are not known to toolgen.`,
  TG6214: (count) => `${count} parameters have a style that OpenAPI has not there.`,
  TG6217: (count) => `${count} values of discriminators are ignored.`,
  TG6215: (count) => `No value fits ${count} variants of unions.`,
  TG6023: (count) => `${count} examples are left out.`,
}

/** The message of each diagnostic under a heading, if it is not its own message. */
const shortMessages: Readonly<Record<string, string>> = { TG5020: 'missing', TG5021: 'differs', TG5022: 'left over' }

/** Returns the diagnostics with those of one kind under one heading and one next step. */
export function grouped(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  // The changes of a server belong together by its snapshot.
  const keyOf = ({ code, location }: Diagnostic): string => (code === 'TG6010' ? `${code} ${location?.file}` : code)
  const byKey = new Map<string, Diagnostic[]>()
  for (const diagnostic of diagnostics) {
    const members = byKey.get(keyOf(diagnostic))
    if (members === undefined) byKey.set(keyOf(diagnostic), [diagnostic])
    else members.push(diagnostic)
  }
  return diagnostics.flatMap((diagnostic) => {
    const { code, severity, next } = diagnostic
    const heading = headings[code]
    const members = byKey.get(keyOf(diagnostic)) ?? []
    if (heading === undefined || members.length < 2) return [diagnostic]
    if (members[0] !== diagnostic) return []
    const related = members.map(({ message, location }) => ({
      message: shortMessages[code] ?? message,
      ...(location !== undefined && { location }),
    }))
    return [{ code, severity, message: heading(members.length, diagnostic), related, next }]
  })
}
