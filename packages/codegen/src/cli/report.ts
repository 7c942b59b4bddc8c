import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { type Diagnostic, type Severity, type SourceLocation, sortDiagnostics } from '../diagnostics/diagnostic.js'
import { relativePath } from '../files.js'

import { printable } from '../text.js'
import { count, type ExitCode, exitCodeOf, shownPath } from './format.js'
import type { Style, Terminal } from './terminal.js'

/** How findings are shown: for people, as one JSON object, or as annotations of GitHub Actions. */
export type ReporterKind = 'pretty' | 'json' | 'github'

/** What a command has to say. */
export interface Findings {
  readonly command: string
  /** What of the command line shows the notes that are counted, with `--verbose` behind it. Default: the command. */
  readonly again?: string
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  readonly diagnostics: readonly Diagnostic[]
  /** Whether people, and GitHub, see every note or how many there are; JSON has them all. Default: `full`. */
  readonly notes?: 'full' | 'counted'
  /** One or more lines for people. */
  readonly summary?: string
  /** Whether the JSON object stands on one line, as one of several. Default: false. */
  readonly oneLine?: boolean
  /** How many warnings of lint are no finding yet. Default: any number. */
  readonly maxWarnings?: number
  /** Further fields of the JSON object. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Shows what a command found and returns its exit code. Only JSON goes to standard output. */
export function report(kind: ReporterKind, terminal: Terminal, findings: Findings): ExitCode {
  const { command, root, summary, facts } = findings
  const diagnostics = sortDiagnostics(findings.diagnostics)
  const exitCode = exitCodeOf(diagnostics, findings.maxWarnings)
  if (kind === 'json') {
    const indent = findings.oneLine === true ? undefined : 2
    terminal.out(`${JSON.stringify({ command, exitCode, diagnostics, ...facts }, null, indent)}\n`)
    return exitCode
  }
  const show = kind === 'github' ? githubAnnotation : prettyDiagnostic
  // GitHub wants paths from the repository's root, people want them from where they stand.
  const workspace = kind === 'github' ? process.env.GITHUB_WORKSPACE : undefined
  const pathOf = (file: string): string =>
    workspace === undefined ? shownPath(root, file) : relativePath(workspace, join(root, file))
  const counted = findings.notes === 'counted'
  const shown = diagnostics.filter(({ severity }) => !counted || severity !== 'note')
  for (const diagnostic of shown) terminal.note(show(diagnostic, { root, pathOf, style: terminal.noteStyle }))
  const left = diagnostics.length - shown.length
  if (left > 0) {
    terminal.note(
      `${count(left, 'note')} (toolgen ${findings.again ?? command} --verbose shows ${left === 1 ? 'it' : 'them'})\n`,
    )
  }
  if (summary !== undefined) terminal.note(`${summary}\n`)
  return exitCode
}

/** The reporter that a command line asks for, as far as one can tell before it is understood. */
export function reporterAsked(args: readonly string[]): ReporterKind {
  const named = args.flatMap((arg, index) =>
    arg === '--reporter' ? [args[index + 1]] : arg.startsWith('--reporter=') ? [arg.slice(11)] : [],
  )[0]
  if (named === 'json' || named === 'github') return named
  return args.includes('--json') ? 'json' : 'pretty'
}

/** How a diagnostic is shown to people. */
interface Look {
  /** The folder to which places are relative: absolute. */
  readonly root: string
  /** A place's file as people see it. */
  readonly pathOf: (file: string) => string
  readonly style: Style
}

const colours: Readonly<Record<Severity, 'red' | 'yellow' | 'cyan'>> = { error: 'red', warning: 'yellow', note: 'cyan' }

/** A diagnostic with its place, the code around it, what to do, and what else is known; ends with an empty line. */
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
    // The place may be a folder, or a file that is missing: that is then what the diagnostic says.
    return []
  }
  return codeFrame(text, location, style)
}

/** How many lines are shown before the place. */
const linesBefore = 1
/** Longer lines are cut. */
const widest = 160

/** The lines at a place with a mark under it; empty when the file has no such line. */
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

/** Tabs as two spaces, so that the mark stands under its place whatever the terminal's tabs are. */
function spaced(text: string): string {
  return printable(text.replaceAll('\t', '  '))
}

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' }

/** A diagnostic as a workflow command of GitHub Actions, which shows it at its place in the changed files. */
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

/** What several findings of one kind have in common, and what each is, which stands after its place. */
interface Group {
  readonly all: (found: number, first: Diagnostic) => string
  readonly each: (finding: Diagnostic) => string
  /** Whether only findings in one file belong together. */
  readonly byFile?: boolean
}

const said = ({ message }: Diagnostic): string => message

const groups: ReadonlyMap<string, Group> = new Map<string, Group>([
  ['TG5020', { all: (files) => `${files} generated files are missing.`, each: () => 'missing' }],
  ['TG5021', { all: (files) => `${files} generated files are not what the design gives.`, each: () => 'differs' }],
  ['TG5022', { all: (files) => `${files} generated files belong to no part of the design.`, each: () => 'left over' }],
  ['TG6002', { all: (tools) => `${tools} tools are listed more than once.`, each: said }],
  [
    'TG6003',
    { all: (tools) => `${tools} tools are left out, because their arguments cannot be described.`, each: said },
  ],
  ['TG6004', { all: (tools) => `The results of ${tools} tools may be any JSON.`, each: said }],
  ['TG6005', { all: (tools) => `${tools} tools have no description.`, each: said }],
  ['TG6006', { all: (tools) => `Models see ${tools} tools under other names than their own.`, each: said }],
  [
    'TG6010',
    {
      all: (changes, { location }) => `The MCP server differs from ${location?.file} in ${changes} ways.`,
      each: said,
      byFile: true,
    },
  ],
  [
    'TG6012',
    { all: (tools) => `The server runs ${tools} tools as tasks alone, and will refuse their calls.`, each: said },
  ],
  ['TG6013', { all: (tools) => `Defaults of ${tools} tools are left out.`, each: said }],
  ['TG6014', { all: (tools) => `${tools} entries of the list have no name and are left out.`, each: said }],
  // The last of them may stand for many.
  ['TG6021', { all: () => 'Entries that are no functions are left out.', each: said }],
  ['TG6022', { all: (tools) => `${tools} functions have the name of another one.`, each: said }],
  ['TG6202', { all: (operations) => `${operations} operations are left out.`, each: said }],
  [
    'TG6203',
    { all: (references) => `${references} references lead to other documents, which are not fetched.`, each: said },
  ],
  ['TG6204', { all: (operations) => `${operations} operations have no \`operationId\`.`, each: said }],
  ['TG6205', { all: (operations) => `${operations} operations have the \`operationId\` of another one.`, each: said }],
  ['TG6206', { all: (fields) => `${fields} parameters and fields have other names in their tools.`, each: said }],
  ['TG6208', { all: (patterns) => `${patterns} patterns are left out.`, each: said }],
  ['TG6209', { all: (parts) => `${parts} parameters and bodies are left out.`, each: said }],
  ['TG6210', { all: (integers) => `${integers} integers are rounded.`, each: said }],
  ['TG6211', { all: (keys) => `${keys} keys stand more than once; the last of each counts.`, each: said }],
  [
    'TG6212',
    { all: (texts) => `${texts} parameters, bodies and answers are text whose schema is not used.`, each: said },
  ],
  ['TG6213', { all: (schemes) => `${schemes} ways to prove who asks are not known to toolgen.`, each: said }],
  ['TG6214', { all: (parameters) => `${parameters} parameters have a style that OpenAPI has not there.`, each: said }],
  ['TG6217', { all: (values) => `${values} values of discriminators are ignored.`, each: said }],
  ['TG6215', { all: (variants) => `No value fits ${variants} variants of unions.`, each: said }],
  ['TG6023', { all: (examples) => `${examples} examples are left out.`, each: said }],
])

/** The same findings, with those of one kind under one heading and one next step. */
export function grouped(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ code, location }: Diagnostic): string =>
    groups.get(code)?.byFile === true ? `${code} ${location?.file}` : code
  const byKey = new Map<string, Diagnostic[]>()
  for (const diagnostic of diagnostics) {
    const members = byKey.get(keyOf(diagnostic))
    if (members === undefined) byKey.set(keyOf(diagnostic), [diagnostic])
    else members.push(diagnostic)
  }
  return diagnostics.flatMap((diagnostic) => {
    const { code, severity, next } = diagnostic
    const group = groups.get(code)
    if (group === undefined) return [diagnostic]
    const members = byKey.get(keyOf(diagnostic)) ?? []
    if (members.length < 2) return [diagnostic]
    if (members[0] !== diagnostic) return []
    const related = members.map((member) => ({
      message: group.each(member),
      ...(member.location !== undefined && { location: member.location }),
    }))
    return [{ code, severity, message: group.all(members.length, diagnostic), related, next }]
  })
}
