import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defined } from '../defined.js'
import { type Installed, loadInstalled } from '../dev/installed-runtime.js'
import {
  type Checked,
  type Diagnostic,
  errorAt,
  type Severity,
  type SourceLocation,
} from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { diskErrorText, foundAt, isDiskError, relativePath } from '../files.js'
import type { DesignIr } from '../ir/types.js'
import { patternToRegExp } from '../load/toolgen-config.js'
import { lockPath, lockText } from '../output/lock.js'
import { closedSchema } from '../schema/definitions.js'
import { parseJson } from '../schema/json-error.js'
import { isObject, type Json, own } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { inTime } from '../timers.js'
import { type ContractChange, changeMessage, newChange, sharedSubjectName } from './change.js'
import { contractChanges, type DesignLocations, locationsOf } from './changes.js'
import { type Contracts, readContracts } from './contracts.js'
import { type Decoded, decoderOf, type Issue } from './decoder.js'
import { type Impact, ruleOf } from './rules.js'

interface BaseOptions {
  /** Git revision, `revision:path` of a lock file, or the path of a lock file or its folder. */
  readonly base?: string
  readonly cwd: string
  readonly root: string
  /** Relative to `root`. */
  readonly output: string
}

export interface ComparisonOptions extends BaseOptions {
  /** Path pattern, relative to `cwd`. */
  readonly cassettes?: string
}

export interface Comparison {
  readonly base: Pick<Base, 'kind' | 'shown'>
  readonly changes: readonly ContractChange[]
  readonly recorded: { readonly examples: number; readonly calls: number }
}

export async function compareContracts(ir: DesignIr, options: ComparisonOptions): Promise<Checked<Comparison>> {
  const { cassettes, cwd, root } = options
  const calls = cassettes === undefined ? { value: [], diagnostics: [] } : recordedCalls(cassettes, cwd, root)
  const base = await findBase(options)
  if (base.value === undefined || calls.value === undefined) {
    return { diagnostics: [...base.diagnostics, ...calls.diagnostics] }
  }
  const { kind, shown, text } = base.value
  const before = readContracts(text)
  if (before.kind === 'newer') {
    const message = `The lock file of \`${shown}\` has contract version ${before.contract}, which this version of toolgen does not support.`
    return failed('TG0034', message, 'Use the toolgen version that wrote the lock file, or a newer version.')
  }
  if (before.kind === 'corrupt') {
    const next =
      'Compare with a lock file that was not changed after `toolgen generate` wrote it, for example of another revision.'
    return failed('TG0033', `The lock file of \`${shown}\` cannot be read: it ${before.reason}.`, next)
  }
  // The current contracts are also read from the text of a lock, so that both sides have the same form.
  const after = readContracts(lockText(ir, []))
  if (after.kind !== 'read') throw new TypeError('the lock of the design cannot be read')
  const locations = locationsOf(ir)
  const [payload, result] = await Promise.all([
    loadInstalled('@toolgen/runtime/codegen/v1', 'payloadCodec', root),
    loadInstalled('@toolgen/runtime/codegen/v1', 'resultCodec', root),
  ])
  const codecs = payload.value && result.value && { payload: payload.value, result: result.value }
  const changes = contractChanges(before.contracts, after.contracts, locations, codecs)
  if (codecs === undefined) {
    const [reason] = payload.diagnostics
    const problem: Diagnostic = {
      code: 'TG0036',
      severity: cassettes === undefined ? 'warning' : 'error',
      message:
        'Cannot load `@toolgen/runtime` from the project. Therefore recorded calls were not decoded, and no values were ' +
        'tried to prove changes.',
      next: 'Install the package in the project: `npm install @toolgen/runtime`.',
      ...(reason !== undefined && { related: [{ message: reason.message }] }),
    }
    const value = { base: { kind, shown }, changes, recorded: { examples: 0, calls: 0 } }
    return { value, diagnostics: [...changeDiagnostics(changes), problem] }
  }
  const { changes: refused, ...recorded } = recordedChanges(
    before.contracts,
    after.contracts,
    calls.value,
    codecs.payload,
    locations,
    root,
  )
  const all = [...changes, ...refused]
  return { value: { base: { kind, shown }, changes: all, recorded }, diagnostics: changeDiagnostics(all) }
}

const severities: Readonly<Record<Impact, readonly [code: string, severity: Severity]>> = {
  breaking: ['TG8101', 'error'],
  visible: ['TG8102', 'warning'],
  safe: ['TG8103', 'note'],
}

export function changeDiagnostics(changes: readonly ContractChange[]): readonly Diagnostic[] {
  const shared = new Map<string, ContractChange[]>()
  for (const change of changes) {
    const key = sharedKey(change)
    const same = key === undefined ? undefined : shared.get(key)
    if (same !== undefined) same.push(change)
    else if (key !== undefined) shared.set(key, [change])
  }
  return changes.flatMap((change) => {
    const same = shared.get(sharedKey(change) ?? '') ?? []
    const tools = [...new Set(same.flatMap(({ tool }) => tool ?? []))]
    if (tools.length < 2) return [changeDiagnostic(change, change.message)]
    if (same[0] !== change) return []
    const { side = 'arguments', definition } = change
    const within = definition?.pointer === '' ? '' : `${definition?.pointer} of `
    const location = `${within}the definition '${definition?.name}'`
    return [changeDiagnostic(change, changeMessage(change, sharedSubjectName(side, tools), location))]
  })
}

function sharedKey(change: ContractChange): string | undefined {
  const { rule, tool, side, definition, before, after, rename, certain } = change
  if (definition === undefined) return undefined
  const toolset = tool?.slice(0, tool.indexOf('.'))
  return JSON.stringify([toolset, side, rule, definition, before, after, rename, certain])
}

function changeDiagnostic({ rule, severity, certain, location }: ContractChange, text: string): Diagnostic {
  const { next } = ruleOf(rule)
  const mayBreak = severity === 'breaking' && !certain
  // A possibly breaking change is an error too, because it may break callers.
  const [code, level] = mayBreak ? (['TG8104', 'error'] as const) : severities[severity]
  return defined({
    code,
    severity: level,
    message: `${text} (${rule})`,
    next: mayBreak ? `Compare both schemas by hand. If the change breaks callers: ${next}` : next,
    location,
  })
}

function failed(code: string, message: string, next: string): Checked<never> {
  return { diagnostics: [errorAt(undefined, code, message, next)] }
}

const otherBase =
  'Or use a lock file, e.g. an earlier copy of `gen/toolgen.lock.json`: `toolgen diff path/to/toolgen.lock.json`.'

interface Base {
  readonly text: string
  readonly shown: string
  readonly kind: 'revision' | 'file'
}

export async function findBase({ base = 'HEAD', cwd, root, output }: BaseOptions): Promise<Checked<Base>> {
  if (base.trim() === '' || base === ':') {
    return failed(
      'TG0031',
      `The base \`${base}\` is neither a revision nor a lock file.`,
      'Write `toolgen diff main`, `toolgen diff path/to/toolgen.lock.json`, or omit the base to compare with `HEAD`. Perhaps a shell variable is not set.',
    )
  }
  const named = resolve(cwd, base)
  const path = [named, join(named, lockPath)].find((file) => foundAt(file)?.isFile() === true)
  if (path !== undefined) {
    try {
      return { value: { text: readFileSync(path, 'utf8'), shown: base, kind: 'file' }, diagnostics: [] }
    } catch (error) {
      if (!isDiskError(error)) throw error
      return failed(
        'TG0033',
        `Cannot read \`${base}\`: ${diskErrorText(error)}.`,
        'Make the file readable, or use another file.',
      )
    }
  }
  const canOnlyBePath = /^(?:\.{1,2}(?:[\\/]|$)|[\\/]|[A-Za-z]:[\\/])|^[^:]*\.json$/.test(base)
  if (canOnlyBePath) {
    const next =
      'Use the path of a `toolgen.lock.json` or of its folder, relative to the working folder of the command.'
    return failed('TG0032', `No lock file found at \`${base}\`.`, next)
  }
  const found = await lockAtRevision(base, root, `${output}/${lockPath}`)
  if (found.value === undefined) return { diagnostics: found.diagnostics }
  return { value: { text: found.value, shown: base, kind: 'revision' }, diagnostics: [] }
}

/** `named` is a Git revision, or `revision:path` with a path relative to the repository. `lock` is relative to `root`. */
async function lockAtRevision(named: string, root: string, lock: string): Promise<Checked<string>> {
  const inside = await git(root, 'rev-parse', '--is-inside-work-tree')
  if (inside.kind === 'missing') {
    return failed(
      'TG0030',
      'Git is not installed, so the design cannot be compared with a revision.',
      `Install Git. ${otherBase}`,
    )
  }
  if (inside.kind === 'failed') {
    const reason = inside.reason.replace(/^fatal: /, '')
    const commit = 'Run `git init` and commit the generated code, so that later changes can be compared.'
    return failed('TG0030', `${root} is not in a Git working tree: ${reason}.`, `${commit} ${otherBase}`)
  }
  const [revision = '', ...path] = named.split(':')
  // Git would read a leading dash as an option.
  const commit = revision.startsWith('-') || revision === '' ? undefined : await commitOf(root, revision)
  if (commit === undefined) {
    const isOfHead = /^(?:HEAD|@)(?![\w/.-])/.test(revision)
    if (isOfHead && (await commitOf(root, 'HEAD')) === undefined) {
      return failed(
        'TG0031',
        `The revision \`${revision}\` does not exist: this branch has no commits yet.`,
        'Run `toolgen generate` and commit its output, or compare with a lock file.',
      )
    }
    const known = await branchesAndTags(root)
    const message = `\`${revision}\` is neither a revision nor the path of a lock file.`
    const next = 'Correct the revision. If a shallow clone does not contain the revision, fetch more history.'
    return { diagnostics: [unknownNameAt(undefined, 'TG0031', message, revision, known, next)] }
  }
  const wanted = path.length === 0 ? `./${lock}` : path.join(':')
  const blob = await git(root, 'cat-file', 'blob', `${commit}:${wanted}`)
  if (blob.kind === 'done') return { value: blob.output, diagnostics: [] }
  return failed(
    'TG0032',
    `\`${path.length === 0 ? lock : wanted}\` does not exist at \`${revision}\`.`,
    'Run `toolgen generate` and commit its output, or use a revision that contains the file. If the file was moved, use the previous path: ' +
      `\`toolgen diff ${revision}:old/path/toolgen.lock.json\`.`,
  )
}

async function commitOf(root: string, revision: string): Promise<string | undefined> {
  const result = await git(root, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
  return result.kind === 'done' ? result.output.trim() : undefined
}

async function branchesAndTags(root: string): Promise<readonly string[]> {
  const folders = ['refs/heads', 'refs/remotes', 'refs/tags']
  const result = await git(root, 'for-each-ref', '--format=%(refname:short)', ...folders)
  return result.kind === 'done' ? result.output.split('\n').filter((name) => name !== '') : []
}

type GitResult =
  | { readonly kind: 'done'; readonly output: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'missing' }

/** In bytes. A lock file with 1,000 tools needs a few megabytes. */
const maxOutput = 256 * 1024 * 1024

function git(cwd: string, ...args: readonly string[]): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' }
    execFile('git', args, { cwd, env, maxBuffer: maxOutput }, (error, output, stderr) => {
      if (error === null) resolve({ kind: 'done', output })
      else if (error.code === 'ENOENT') resolve({ kind: 'missing' })
      else if (typeof error.code === 'number') resolve({ kind: 'failed', reason: stderr.trim().split('\n')[0] ?? '' })
      else reject(error)
    })
  })
}

interface RecordedCall {
  readonly file: string
  readonly line: number
  readonly tool: string
  readonly arguments: string
  readonly isCompleted: boolean
}

function recordedCalls(pattern: string, cwd: string, root: string): Checked<readonly RecordedCall[]> {
  const files = matchingFiles(pattern.replaceAll('\\', '/').replace(/^\.\//, ''), cwd)
  if (files.length === 0) return { diagnostics: [cassetteError(`No file matches \`${pattern}\``)] }
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
      const next = 'Record the cassette again, or delete the line.'
      return { diagnostics: [{ ...cassetteError(`${shown} cannot be read: ${parsed.why}`), location, next }] }
    }
    const exchange = parsed.json
    if (index === 0) {
      if (isObject(exchange) && exchange.cassette === 1) continue
      return {
        diagnostics: [{ ...cassetteError(`${shown} is not a cassette of a supported version`), location: at(1, 1) }],
      }
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
    next: 'Set --cassettes to recordings of `openCassette`, e.g. `--cassettes "test/**/*.jsonl"`.',
  }
}

interface RecordedChanges {
  readonly examples: number
  readonly calls: number
  readonly changes: readonly ContractChange[]
}

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
    const details = { pointer: issue.pointer, before: example, location: locations.tools.get(id) }
    const ending = rejectionText(JSON.stringify(example), issue)
    return [newChange('recorded-example-refused', { tool: id, side: 'arguments' }, details, ending)]
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
    const details = { pointer: issue.pointer, before: text, location }
    return [newChange('recorded-call-refused', { tool, side: 'arguments' }, details, rejectionText(text, issue))]
  })
  return { examples: examples.length, calls: valid.length, changes: [...ofExamples, ...ofCalls] }
}

const maxShown = 80

function rejectionText(sent: string, { message }: DecodeIssue): string {
  const shown = sent.length > maxShown ? `${sent.slice(0, maxShown)}…` : sent
  return `${shown} (${message.replace(/\.$/, '')})`
}

type DecodePayload = (text: string) => DecodeIssue | undefined

type DecodeIssue = Pick<Issue, 'pointer' | 'message'>

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
  if (!tried.isDone) return { pointer: '', message: 'Validation takes too long because of a pattern in the schema' }
  const decoded = tried.value
  if (decoded.kind === 'accepted') return undefined
  // The schema in an older lock may be invalid for this version.
  if (decoded.kind === 'unknown') return { pointer: '', message: decoded.message }
  return decoded.issues[0] ?? { pointer: '', message: 'it is rejected' }
}
