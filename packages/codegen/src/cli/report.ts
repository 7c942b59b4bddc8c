import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, type Severity, type SourceLocation, sortDiagnostics } from '../diagnostics/diagnostic.js'
import { relativePath } from '../files.js'
import { printable } from '../text.js'
import { count, type ExitCode, exitCodeOf, exitCodes, shownPath } from './format.js'
import type { Style, Terminal } from './terminal.js'

export type ReporterKind = 'pretty' | 'json' | 'github'

export interface Report {
  readonly command: string
  /** Command that the report suggests for printing all notes, such as `import openapi shop`. The report adds `--verbose`. */
  readonly again?: string
  /** Absolute path. Diagnostics contain paths relative to this folder. */
  readonly root: string
  readonly diagnostics: readonly Diagnostic[]
  readonly notes?: 'full' | 'counted'
  readonly summary?: string
  /** Commands that print several JSON objects need one line for each object. */
  readonly oneLine?: boolean
  readonly exitCode?: ExitCode
  readonly maxWarnings?: number
  readonly facts?: Readonly<Record<string, unknown>>
}

export function report(kind: ReporterKind, terminal: Terminal, content: Report): ExitCode {
  const { command, root, summary, facts } = content
  const diagnostics = sortDiagnostics(content.diagnostics)
  const exitCode = exitCodeOf(diagnostics, content.maxWarnings) || (content.exitCode ?? exitCodes.ok)
  if (kind === 'json') {
    const indent = content.oneLine === true ? undefined : 2
    terminal.out(`${JSON.stringify({ command, exitCode, diagnostics, ...facts }, null, indent)}\n`)
    return exitCode
  }
  const show = kind === 'github' ? githubAnnotation : prettyDiagnostic
  // GitHub needs paths relative to the repository. Readers need paths relative to the current folder.
  const workspace = kind === 'github' ? process.env.GITHUB_WORKSPACE : undefined
  const pathOf = (file: string): string => {
    if (/^https?:/.test(file)) return file
    return workspace === undefined ? shownPath(root, file) : relativePath(workspace, join(root, file))
  }
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

/** For errors that occur while the command line is parsed. */
export function requestedReporter(args: readonly string[]): ReporterKind {
  const named = args.flatMap((arg, index) =>
    arg === '--reporter' ? [args[index + 1]] : arg.startsWith('--reporter=') ? [arg.slice(11)] : [],
  )[0]
  if (named === 'json' || named === 'github') return named
  return args.includes('--json') ? 'json' : 'pretty'
}

interface Look {
  readonly root: string
  readonly pathOf: (file: string) => string
  readonly style: Style
}

const colours: Readonly<Record<Severity, 'red' | 'yellow' | 'cyan'>> = { error: 'red', warning: 'yellow', note: 'cyan' }

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
    // If there is only one suggestion, the fix already contains it.
    ...(near !== undefined && near.length > 1 ? [`  ${style('dim', 'similar:')} ${shown(near.join(', '))}`] : []),
  ]
  return `${lines.join('\n')}\n\n`
}

/** With indentation, text from the user's files cannot look like the start of a diagnostic. */
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
    // The location may be a folder, or a missing file that the message reports.
    return []
  }
  return codeFrame(text, location, style)
}

const linesBefore = 1
const widest = 160

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
  // If the location is beyond the shown part of a long line, such as minified JSON, there is no marker.
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

/** Tabs become two spaces, so that the marker below the line has the correct column. */
function spaced(text: string): string {
  return printable(text.replaceAll('\t', '  '))
}

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' }

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

const headings: Readonly<Record<string, (count: number, first: Diagnostic) => string>> = {
  TG5020: (count) => `${count} generated files are missing.`,
  TG5021: (count) => `${count} generated files differ from the design.`,
  TG5022: (count) => `${count} files no longer belong to the generated code.`,
  TG6002: (count) => `${count} tools are listed more than once.`,
  TG6003: (count) => `${count} tools are not imported, because the schemas of their arguments are not supported.`,
  TG6004: (count) => `The results of ${count} tools can be any JSON value.`,
  TG6005: (count) => `${count} tools have no description in their source.`,
  TG6006: (count) => `The names of ${count} tools for models differ from their original names.`,
  TG6010: (count, { location }) => `The MCP server has ${count} differences from ${location?.file}.`,
  TG6012: (count) => `${count} tools run only as tasks of protocol 2025-11-25: the server will reject their calls.`,
  TG6013: (count) => `Defaults of ${count} tools are dropped.`,
  TG6014: (count) => `${count} entries of the tool list have no name and are not imported.`,
  TG6021: () => 'Entries that are not functions are not imported.',
  TG6022: (count) => `${count} functions have a duplicate name.`,
  TG6202: (count) => `${count} operations are not imported.`,
  TG6203: (count) => `${count} references point to other documents, which are not fetched.`,
  TG6204: (count) => `${count} operations have no \`operationId\`.`,
  TG6205: (count) => `${count} operations have a duplicate \`operationId\`.`,
  TG6206: (count) => `${count} parameters and fields are renamed in their tools.`,
  TG6208: (count) => `${count} patterns are dropped.`,
  TG6209: (count) => `${count} parameters and bodies are not imported.`,
  TG6210: (count) => `${count} integers are rounded.`,
  TG6211: (count) => `${count} duplicate keys: the last value of each is used.`,
  TG6212: (count) => `${count} parameters, bodies and responses are imported as plain strings.`,
  TG6213: (count) => `${count} security schemes are not supported.`,
  TG6214: (count) => `${count} parameters have a style that OpenAPI does not allow at their location.`,
  TG6217: (count) => `${count} discriminator values are ignored.`,
  TG6215: (count) => `${count} variants of unions accept no value.`,
  TG6023: (count) => `${count} examples are dropped.`,
}

/** If {@link grouped} combines several diagnostics below one heading, it lists these texts instead of the messages. */
const shortMessages: Readonly<Record<string, string>> = { TG5020: 'missing', TG5021: 'differs', TG5022: 'left over' }

export function grouped(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  // Changes of MCP servers are grouped by server: each server has its own snapshot file.
  const keyOf = ({ code, location }: Diagnostic): string => (code === 'TG6010' ? `${code} ${location?.file}` : code)
  const byKey = new Map<string, Diagnostic[]>()
  for (const diagnostic of diagnostics) {
    const members = byKey.get(keyOf(diagnostic))
    if (members === undefined) byKey.set(keyOf(diagnostic), [diagnostic])
    else members.push(diagnostic)
  }
  return diagnostics.flatMap((diagnostic) => {
    const { code, severity } = diagnostic
    const heading = headings[code]
    const members = byKey.get(keyOf(diagnostic)) ?? []
    if (heading === undefined || members.length < 2) return [diagnostic]
    if (members[0] !== diagnostic) return []
    const hasOneFix = members.every(({ next }) => next === diagnostic.next)
    const related = members.map(({ message, location, next }) => ({
      message: shortMessages[code] ?? (hasOneFix ? message : `${message} ${next}`),
      ...(location !== undefined && { location }),
    }))
    const next = hasOneFix ? diagnostic.next : 'Follow the instruction at the end of each entry.'
    return [{ code, severity, message: heading(members.length, diagnostic), related, next }]
  })
}
