import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Installed } from '../dev/installed-runtime.js'
import type { Checked, Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { foundAt, inWords, isDiskError, relativePath } from '../files.js'
import { type JsonFault, jsonFault } from '../imports/json-error.js'

import { patternToRegExp } from '../load/toolgen-config.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject, type Json, own } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { inTime } from '../timers.js'
import { type ContractChange, newChange } from './change.js'
import type { DesignLocations } from './changes.js'
import type { Contracts, ToolContract } from './contracts.js'
import type { Defs } from './flatten.js'

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
interface CassetteFolders {
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
  const at = (line: number, column: number): SourceLocation => ({ file: relativePath(root, file), line, column })
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
      const location = at(index + 1, parsed.column)
      const next = 'Record it again, or delete the line.'
      return { diagnostics: [{ ...fault(`${shown} cannot be read: ${parsed.why}`), location, next }] }
    }
    const { json } = parsed
    if (index > 0) calls.push(...callIn(json, file, index + 1))
    else if (!isObject(json) || json.cassette !== 1)
      return { diagnostics: [{ ...fault(`${shown} is no cassette of a known version`), location: at(1, 1) }] }
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

/** The first thing that is wrong with arguments. */
interface DecodeFault {
  /** JSON Pointer into the arguments. */
  readonly pointer: string
  readonly message: string
}

/** Decodes the JSON text of arguments; `undefined` where nothing is wrong with it. */
type DecodePayload = (text: string) => DecodeFault | undefined

/**
 * Makes the decoder of a tool. Where its schema cannot be read, which locks of older versions may have, it says that of
 * all arguments.
 *
 * @param payloadCodec the function of the installed runtime that generated code makes its codecs with
 */
function payloadDecoder(payloadCodec: Installed, tool: ToolContract, defs: Defs): DecodePayload {
  const options = {
    schema: closedSchema(tool.arguments, defs),
    serverOwned: tool.serverOwned.map(({ field }) => field),
  }
  const codec: unknown = Reflect.apply(payloadCodec, undefined, [options])
  const decode: unknown = isObject(codec) ? Reflect.get(codec, 'decode') : undefined
  if (typeof decode !== 'function') throw new TypeError('`payloadCodec` of the installed runtime makes no codec')
  return (text) => {
    try {
      const tried = inTime((): unknown => Reflect.apply(decode, codec, [text]))
      return tried.isDone ? faultIn(tried.value) : tooSlow
    } catch (error) {
      if (!isSchemaError(error)) throw error
      return { pointer: '', message: error.message }
    }
  }
}

const tooSlow: DecodeFault = { pointer: '', message: 'It takes too long to try, by some pattern of the schema' }

function faultIn(decoded: unknown): DecodeFault | undefined {
  if (!isObject(decoded) || decoded.ok === true) return undefined
  const [issue] = Array.isArray(decoded.issues) ? decoded.issues : []
  return isObject(issue)
    ? { pointer: String(issue.path), message: String(issue.message) }
    : { pointer: '', message: 'it is not taken' }
}

/** By its name: the installed runtime has a class of its own. */
function isSchemaError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SchemaError'
}

/** What was recorded, and by what it is judged. */
interface Recorded {
  readonly was: Contracts
  readonly is: Contracts
  readonly calls: readonly RecordedCall[]
  readonly payloadCodec: Installed
  readonly locations: DesignLocations
  /** The project's root, to which the places of cassettes are relative. */
  readonly root: string
}

/** What was decoded, and what of it is refused. */
interface RecordedChanges {
  readonly examples: number
  readonly calls: number
  readonly changes: readonly ContractChange[]
}

/** Decodes the examples of before, and the calls of cassettes, by the payload codecs of now. */
export function recordedChanges({ was, is, calls, payloadCodec, locations, root }: Recorded): RecordedChanges {
  const decoders = { was: decodersOf(was, payloadCodec), is: decodersOf(is, payloadCodec) }
  const examples = [...was.toolsets.values()].flatMap(({ tools }) =>
    [...tools.values()].flatMap(({ id, about }) => {
      const listed = own(about, 'examples')
      const decode = decoders.is(id)
      return decode === undefined || !Array.isArray(listed)
        ? []
        : listed.map((example: Json) => ({ id, example, decode }))
    }),
  )
  const ofExamples = examples.flatMap(({ id, example, decode }) => {
    const fault = decode(JSON.stringify(example))
    if (fault === undefined) return []
    const location = locations.tool(id)
    return [
      newChange('recorded-example-refused', {
        subject: { tool: id, side: 'arguments' },
        told: toldOf(fault, JSON.stringify(example)),
        pointer: fault.pointer,
        was: example,
        ...(location !== undefined && { location }),
      }),
    ]
  })
  const judged = calls.filter(({ tool, arguments: text, isAnswered }) => {
    const decode = decoders.was(tool)
    return decode === undefined ? isAnswered : decode(text) === undefined
  })
  const ofCalls = judged.flatMap((call): readonly ContractChange[] => {
    const { tool, arguments: text } = call
    const location = { file: relativePath(root, call.file), line: call.line, column: 1 }
    const decode = decoders.is(tool)
    if (decode === undefined) return [newChange('recorded-tool-missing', { subject: { tool }, location })]
    const fault = decode(text)
    if (fault === undefined) return []
    const subject = { tool, side: 'arguments' } as const
    return [
      newChange('recorded-call-refused', {
        subject,
        told: toldOf(fault, text),
        pointer: fault.pointer,
        was: text,
        location,
      }),
    ]
  })
  return { examples: examples.length, calls: judged.length, changes: [...ofExamples, ...ofCalls] }
}

/** How much of what was sent is shown. */
const longest = 80

/** What was sent, and why it is refused. */
function toldOf({ message }: DecodeFault, sent: string): string {
  const shown = sent.length > longest ? `${sent.slice(0, longest)}…` : sent
  return `${shown} (${message.replace(/\.$/, '')})`
}

/** Finds the decoder of a tool, made when it is first asked for; `undefined` where there is no such tool. */
function decodersOf({ toolsets }: Contracts, payloadCodec: Installed): (id: string) => DecodePayload | undefined {
  const known = new Map(
    [...toolsets.values()].flatMap(({ tools, defs }) =>
      [...tools.values()].map((tool) => [tool.id, { tool, defs }] as const),
    ),
  )
  const made = new Map<string, DecodePayload>()
  return (id) => {
    const found = known.get(id)
    if (found === undefined) return undefined
    const decode = made.get(id) ?? payloadDecoder(payloadCodec, found.tool, found.defs)
    made.set(id, decode)
    return decode
  }
}
