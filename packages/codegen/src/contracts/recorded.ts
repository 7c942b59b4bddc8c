import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Installed } from '../dev/installed-runtime.js'
import type { Checked, Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { diskErrorText, foundAt, isDiskError, relativePath } from '../files.js'
import { parseJson } from '../imports/json-error.js'
import { patternToRegExp } from '../load/toolgen-config.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject, type Json, own } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { inTime } from '../timers.js'
import { type ContractChange, newChange } from './change.js'
import type { DesignLocations } from './changes.js'
import type { Contracts } from './contracts.js'
import { type Decoded, decoderOf, type Issue } from './decoder.js'

/** A call of a tool in a cassette. */
export interface RecordedCall {
  readonly file: string
  /** 1-based. */
  readonly line: number
  /** `toolset.tool` */
  readonly tool: string
  readonly arguments: string
  /** True if the tool gave a result, so that its arguments were decoded. */
  readonly isCompleted: boolean
}

/**
 * Reads the calls in all cassettes that match a pattern: `*` stands for any part of a name, `**` for any folders.
 *
 * @param cwd folder of the pattern: absolute
 * @param root folder of the locations in diagnostics: absolute
 */
export function recordedCalls(pattern: string, cwd: string, root: string): Checked<readonly RecordedCall[]> {
  const files = matchingFiles(pattern.replaceAll('\\', '/').replace(/^\.\//, ''), cwd)
  if (files.length === 0) return { diagnostics: [cassetteError(`No file is named by \`${pattern}\``)] }
  const read = files.map((file) => readCassette(file, cwd, root))
  const diagnostics = read.flatMap((each) => each.diagnostics)
  return diagnostics.length > 0 ? { diagnostics } : { value: read.flatMap(({ value }) => value ?? []), diagnostics }
}

function matchingFiles(pattern: string, cwd: string): readonly string[] {
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
    if (entry.isFile()) return [path]
    return entry.isDirectory() && !['node_modules', '.git'].includes(entry.name) ? filesBelow(folder, path) : []
  })
}

function readCassette(file: string, cwd: string, root: string): Checked<readonly RecordedCall[]> {
  const shown = `\`${relativePath(cwd, file)}\``
  let lines: readonly string[]
  try {
    lines = readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .split('\n')
  } catch (error) {
    if (isDiskError(error)) return { diagnostics: [cassetteError(`${shown} cannot be read: ${diskErrorText(error)}`)] }
    throw error
  }
  const at = (line: number, column: number): SourceLocation => ({ file: relativePath(root, file), line, column })
  const calls: RecordedCall[] = []
  for (const [index, text] of lines.entries()) {
    if (index > 0 && text.trim() === '') continue
    const parsed = parseJson(text)
    if ('why' in parsed) {
      const location = at(index + 1, parsed.column)
      const next = 'Record it again, or delete the line.'
      return { diagnostics: [{ ...cassetteError(`${shown} cannot be read: ${parsed.why}`), location, next }] }
    }
    const exchange = parsed.json
    if (index === 0) {
      if (isObject(exchange) && exchange.cassette === 1) continue
      return { diagnostics: [{ ...cassetteError(`${shown} is no cassette of a known version`), location: at(1, 1) }] }
    }
    if (!isObject(exchange) || exchange.type !== 'tool') continue
    const { tool, arguments: sent, outcome } = exchange
    if (typeof tool !== 'string' || typeof sent !== 'string') continue
    const isCompleted = isObject(outcome) && outcome.status === 'completed'
    calls.push({ file, line: index + 1, tool, arguments: sent, isCompleted })
  }
  return { value: calls, diagnostics: [] }
}

function cassetteError(message: string): Diagnostic {
  return {
    code: 'TG0035',
    severity: 'error',
    message: `${message}.`,
    next: 'Name recordings of `openCassette` with --cassettes, e.g. `--cassettes "test/**/*.jsonl"`.',
  }
}

interface RecordedChanges {
  readonly examples: number
  readonly calls: number
  readonly changes: readonly ContractChange[]
}

/**
 * Decodes the examples of before, and the calls of cassettes, with the payload codecs of after.
 *
 * @param payloadCodec function of the installed runtime with which generated code makes its codecs
 * @param root folder of the locations of cassettes: absolute
 */
export function recordedChanges(
  before: Contracts,
  after: Contracts,
  calls: readonly RecordedCall[],
  payloadCodec: Installed,
  locations: DesignLocations,
  root: string,
): RecordedChanges {
  const [decoderBefore, decoderAfter] = [decodersOf(before, payloadCodec), decodersOf(after, payloadCodec)]
  const examples = [...before.toolsets.values()].flatMap(({ tools }) =>
    [...tools.values()].flatMap(({ id, about }) => {
      const listed = own(about, 'examples')
      const decode = decoderAfter(id)
      return decode === undefined || !Array.isArray(listed)
        ? []
        : listed.map((example: Json) => ({ id, example, issue: decode(JSON.stringify(example)) }))
    }),
  )
  const ofExamples = examples.flatMap(({ id, example, issue }) => {
    if (issue === undefined) return []
    const facts = { pointer: issue.pointer, before: example, location: locations.tool(id) }
    const ending = rejectionText(JSON.stringify(example), issue)
    return [newChange('recorded-example-refused', { tool: id, side: 'arguments' }, facts, ending)]
  })
  const valid = calls.filter(({ tool, arguments: text, isCompleted }) => {
    const decode = decoderBefore(tool)
    return decode === undefined ? isCompleted : decode(text) === undefined
  })
  const ofCalls = valid.flatMap(({ file, line, tool, arguments: text }) => {
    const location = { file: relativePath(root, file), line, column: 1 }
    const decode = decoderAfter(tool)
    if (decode === undefined) return [newChange('recorded-tool-missing', { tool }, { location })]
    const issue = decode(text)
    if (issue === undefined) return []
    const facts = { pointer: issue.pointer, before: text, location }
    return [newChange('recorded-call-refused', { tool, side: 'arguments' }, facts, rejectionText(text, issue))]
  })
  return { examples: examples.length, calls: valid.length, changes: [...ofExamples, ...ofCalls] }
}

const maxShown = 80

function rejectionText(sent: string, { message }: DecodeIssue): string {
  const shown = sent.length > maxShown ? `${sent.slice(0, maxShown)}…` : sent
  return `${shown} (${message.replace(/\.$/, '')})`
}

/** Decodes the JSON text of arguments. Returns the first issue. */
type DecodePayload = (text: string) => DecodeIssue | undefined

type DecodeIssue = Pick<Issue, 'pointer' | 'message'>

/** Returns a function that finds the decoder of a tool, which is made when it is needed. */
function decodersOf({ toolsets }: Contracts, payloadCodec: Installed): (id: string) => DecodePayload | undefined {
  const tools = new Map(
    [...toolsets.values()].flatMap(({ tools: all, defs }) =>
      [...all.values()].map((tool) => [tool.id, { tool, defs }] as const),
    ),
  )
  const made = new Map<string, DecodePayload>()
  return (id) => {
    const found = made.has(id) ? undefined : tools.get(id)
    if (found !== undefined) {
      const schema = closedSchema(found.tool.arguments, found.defs)
      const serverOwned = found.tool.serverOwned.map(({ field }) => field)
      const decode = decoderOf(payloadCodec, { schema, serverOwned })
      made.set(id, (text) => firstIssue(decode, text))
    }
    return made.get(id)
  }
}

function firstIssue(decode: (text: string) => Decoded, text: string): DecodeIssue | undefined {
  const tried = inTime(() => decode(text))
  if (!tried.isDone) return { pointer: '', message: 'It takes too long to try, by some pattern of the schema' }
  const decoded = tried.value
  if (decoded.kind === 'accepted') return undefined
  // The schema of an older lock may be one that cannot be read.
  if (decoded.kind === 'unknown') return { pointer: '', message: decoded.message }
  return decoded.issues[0] ?? { pointer: '', message: 'it is not taken' }
}
