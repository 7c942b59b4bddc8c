import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { patternToRegExp } from '../../config/design-files.js'
import type { Checked, Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { foundAt } from '../../evaluate/found-at.js'
import { relativePath } from '../../evaluate/relative-path.js'
import { type JsonFault, jsonFault } from '../../import/json-fault.js'
import { isObject } from '../../schema/json/json.js'
import { byCodePoint } from '../../text/by-code-point.js'
import { inWords, isDiskError } from '../../write/disk.js'

/** A call of a tool that a cassette recorded. */
export interface RecordedCall {
  /** The cassette: absolute. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** `toolset.tool` */
  readonly tool: string
  /** JSON text. */
  readonly arguments: string
  /** Whether the tool answered: then its arguments were decoded. */
  readonly isAnswered: boolean
}

/** What paths of cassettes are relative to: absolute folders. */
export interface CassetteFolders {
  /** The pattern, and what messages say. */
  readonly cwd: string
  /** The places of findings. */
  readonly root: string
}

/** The calls in all cassettes that a pattern names; `*` stands for any part of a name, `**` for any folders. */
export function recordedCalls(pattern: string, { cwd, root }: CassetteFolders): Checked<readonly RecordedCall[]> {
  const files = filesNamed(pattern.replaceAll('\\', '/').replace(/^\.\//, ''), cwd)
  if (files.length === 0) return { diagnostics: [fault(`No file is named by \`${pattern}\``)] }
  const read = files.map((file) => readCassette(file, { cwd, root }))
  const diagnostics = read.flatMap((each) => each.diagnostics)
  return diagnostics.length > 0 ? { diagnostics } : { value: read.flatMap(({ value }) => value ?? []), diagnostics }
}

function filesNamed(pattern: string, cwd: string): readonly string[] {
  const segments = pattern.split('/')
  const fixed = segments.findIndex((segment) => segment.includes('*'))
  if (fixed === -1) return [resolve(cwd, pattern)].filter((file) => foundAt(file)?.isFile() === true)
  const folder = resolve(cwd, segments.slice(0, fixed).join('/') || (pattern.startsWith('/') ? '/' : '.'))
  if (foundAt(folder)?.isDirectory() !== true) return []
  const matcher = patternToRegExp(segments.slice(fixed).join('/'))
  return filesBelow(folder, '')
    .filter((path) => matcher.test(path))
    .sort(byCodePoint)
    .map((path) => join(folder, path))
}

function filesBelow(folder: string, inside: string): readonly string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name === '.git' ? [] : filesBelow(folder, path)
    return entry.isFile() ? [path] : []
  })
}

function readCassette(file: string, { cwd, root }: CassetteFolders): Checked<readonly RecordedCall[]> {
  const shown = `\`${relativePath(cwd, file)}\``
  const at = (line: number, column: number): SourcePlace => ({ file: relativePath(root, file), line, column })
  let lines: readonly string[]
  try {
    lines = readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .split('\n')
  } catch (error) {
    if (isDiskError(error)) return { diagnostics: [fault(`${shown} cannot be read: ${inWords(error)}`)] }
    throw error
  }
  const calls: RecordedCall[] = []
  for (const [index, text] of lines.entries()) {
    if (index > 0 && text.trim() === '') continue
    const parsed = parsedLine(text)
    if ('why' in parsed) {
      const place = at(index + 1, parsed.column)
      const next = 'Record it again, or delete the line.'
      return { diagnostics: [{ ...fault(`${shown} cannot be read: ${parsed.why}`), place, next }] }
    }
    const { json } = parsed
    if (index > 0) calls.push(...callIn(json, file, index + 1))
    else if (!isObject(json) || json.cassette !== 1)
      return { diagnostics: [{ ...fault(`${shown} is no cassette of a known version`), place: at(1, 1) }] }
  }
  return { value: calls, diagnostics: [] }
}

function parsedLine(text: string): { readonly json: unknown } | Pick<JsonFault, 'column' | 'why'> {
  try {
    return { json: JSON.parse(text) }
  } catch (error) {
    const found = jsonFault(text)
    if (found === undefined) throw error
    return found
  }
}

/** The call of an exchange with a tool; what models asked for is recorded there too, once it is called. */
function callIn(exchange: unknown, file: string, line: number): readonly RecordedCall[] {
  if (!isObject(exchange) || exchange.type !== 'tool') return []
  const { tool, arguments: text, outcome } = exchange
  if (typeof tool !== 'string' || typeof text !== 'string') return []
  return [{ file, line, tool, arguments: text, isAnswered: isObject(outcome) && outcome.status === 'completed' }]
}

function fault(message: string): Diagnostic {
  return {
    code: 'TG0035',
    severity: 'error',
    message: `${message}.`,
    next: 'Name recordings of `openCassette` with --cassettes, e.g. `--cassettes "test/**/*.jsonl"`.',
  }
}
