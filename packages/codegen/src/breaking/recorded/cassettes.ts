import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { patternToRegExp } from '../../config/design-files.js'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import { foundAt } from '../../evaluate/found-at.js'
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

/**
 * The calls in all cassettes that a pattern names; `*` stands for any part of a name, `**` for any folders.
 *
 * @param cwd the folder to which the pattern is relative: absolute
 */
export function recordedCalls(pattern: string, cwd: string): Checked<readonly RecordedCall[]> {
  const files = filesNamed(pattern.replaceAll('\\', '/').replace(/^\.\//, ''), cwd)
  if (files.length === 0) return { diagnostics: [fault(`No file is named by \`${pattern}\``)] }
  const read = files.map((file) => readCassette(file))
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

function readCassette(file: string): Checked<readonly RecordedCall[]> {
  try {
    const [header = '', ...lines] = readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .split('\n')
    const head: unknown = JSON.parse(header)
    if (!isObject(head) || head.cassette !== 1)
      return { diagnostics: [fault(`\`${file}\` is no cassette of a known version`)] }
    const calls = lines.flatMap((text, index) => (text.trim() === '' ? [] : callIn(JSON.parse(text), file, index + 2)))
    return { value: calls, diagnostics: [] }
  } catch (error) {
    if (isDiskError(error)) return { diagnostics: [fault(`\`${file}\` cannot be read: ${inWords(error)}`)] }
    if (error instanceof SyntaxError) return { diagnostics: [fault(`\`${file}\` is not made of lines of JSON`)] }
    throw error
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
