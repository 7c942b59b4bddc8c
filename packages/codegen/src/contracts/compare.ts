import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, nearest, type Severity } from '../diagnostics/diagnostic.js'
import { foundAt, inWords, isDiskError } from '../files.js'
import type { DesignIr } from '../ir/types.js'

import { lockPath, lockText } from '../output/lock-text.js'
import { type ContractChange, changeMessage, namesOf } from './change.js'
import { contractChanges, locationsOf } from './changes.js'
import { type Contracts, readContracts } from './contracts.js'
import { type RecordedCall, recordedCalls, recordedChanges } from './recorded.js'
import { ruleOf } from './rules.js'
import type { Impact } from './schema-rules.js'

/** What a design is compared with, and what was recorded. */
export interface ComparisonChoice extends BaseChoice {
  /** A pattern of paths relative to the folder in which the command was started. */
  readonly cassettes?: string
}

/** How a design stands to what it was. */
export interface Comparison {
  readonly base: Pick<Base, 'kind' | 'shown'>
  readonly changes: readonly ContractChange[]
  readonly recorded: { readonly examples: number; readonly calls: number }
}

/** Compares the contracts of a design with those of a lock. */
export async function compareContracts(ir: DesignIr, choice: ComparisonChoice): Promise<Checked<Comparison>> {
  const calls = choice.cassettes === undefined ? noCalls : recordedCalls(choice.cassettes, choice)
  const base = await findBase(choice)
  const before = [...base.diagnostics, ...calls.diagnostics]
  if (base.value === undefined || calls.value === undefined) return { diagnostics: before }
  const { kind, shown, text } = base.value
  const reading = readContracts(text)
  if (reading.kind === 'newer') return { diagnostics: [newerBase(shown, reading.contract)] }
  if (reading.kind === 'corrupt') return { diagnostics: [corruptBase(shown, reading.reason)] }
  const sides = { was: reading.contracts, is: contractsOf(ir) }
  const locations = locationsOf(ir)
  const [payload, result] = await Promise.all([
    loadInstalled('@toolgen/runtime/codegen/v1', 'payloadCodec', choice.root),
    loadInstalled('@toolgen/runtime/codegen/v1', 'resultCodec', choice.root),
  ])
  const codecs = payload.value && result.value && { payload: payload.value, result: result.value }
  const isAsked = choice.cassettes !== undefined
  if (codecs === undefined) {
    const changes = contractChanges(sides.was, sides.is, locations, undefined)
    const diagnostics = [...changeDiagnostics(changes), notDecoded(payload.diagnostics, isAsked)]
    return { value: { base: { kind, shown }, changes, recorded: { examples: 0, calls: 0 } }, diagnostics }
  }
  const { changes: refused, ...recorded } = recordedChanges({
    ...sides,
    calls: calls.value,
    payloadCodec: codecs.payload,
    locations,
    root: choice.root,
  })
  const all = [...contractChanges(sides.was, sides.is, locations, codecs), ...refused]
  return { value: { base: { kind, shown }, changes: all, recorded }, diagnostics: changeDiagnostics(all) }
}

const noCalls: Checked<readonly RecordedCall[]> = { value: [], diagnostics: [] }

/** The contracts of a design, by way of the lock that it would have: both sides are read alike. */
function contractsOf(ir: DesignIr): Contracts {
  const reading = readContracts(lockText(ir, []))
  if (reading.kind !== 'read') throw new TypeError('the lock of the design cannot be read')
  return reading.contracts
}

function notDecoded([why]: readonly Diagnostic[], isAsked: boolean): Diagnostic {
  return {
    code: 'TG0036',
    severity: isAsked ? 'error' : 'warning',
    message:
      'Recorded calls were not decoded, and no values were tried that show what changed: `@toolgen/runtime` cannot be loaded ' +
      'in the project.',
    next: 'Install it in the project: `npm install @toolgen/runtime`.',
    ...(why !== undefined && { related: [{ message: why.message }] }),
  }
}

const codes: Readonly<Record<Impact, { readonly code: string; readonly severity: Severity }>> = {
  breaking: { code: 'TG8101', severity: 'error' },
  visible: { code: 'TG8102', severity: 'warning' },
  safe: { code: 'TG8103', severity: 'note' },
}

/** A change of which no value shows that it breaks something. It fails the command as well: nothing proves it harmless. */
const uncertain = { code: 'TG8104', severity: 'error' } as const

/** Changes as findings; what changed in a definition is told once for all tools that need it, where the first is told. */
export function changeDiagnostics(changes: readonly ContractChange[]): readonly Diagnostic[] {
  const shared = new Map<string, ContractChange[]>()
  for (const change of changes) {
    const key = sharedKey(change)
    if (key === undefined) continue
    const members = shared.get(key)
    if (members === undefined) shared.set(key, [change])
    else members.push(change)
  }
  return changes.flatMap((change) => {
    const members = shared.get(sharedKey(change) ?? '') ?? []
    const tools = [...new Set(members.flatMap(({ tool }) => tool ?? []))]
    if (tools.length < 2) return [finding(change, change.message)]
    return members[0] === change ? [finding(change, sharedMessage(change, tools))] : []
  })
}

function finding({ rule, severity, certain, location }: ContractChange, message: string): Diagnostic {
  const mayBreak = severity === 'breaking' && !certain
  const { next } = ruleOf(rule)
  return {
    ...(mayBreak ? uncertain : codes[severity]),
    message: `${message} (${rule})`,
    next: mayBreak ? `Compare both schemas by hand. Where something breaks: ${next}` : next,
    ...(location !== undefined && { location }),
  }
}

/** The same text for what is the same change of a definition; `undefined` for what is none. */
function sharedKey({ rule, tool, side, definition, was, is, rename, certain }: ContractChange): string | undefined {
  if (definition === undefined) return undefined
  const toolset = tool?.slice(0, tool.indexOf('.'))
  return JSON.stringify([toolset, side, rule, definition, was, is, rename, certain])
}

function sharedMessage(change: ContractChange, tools: readonly string[]): string {
  const { side = 'arguments', definition } = change
  const within = definition?.pointer === '' ? '' : `${definition?.pointer} of `
  const at = `${within}the definition '${definition?.name}'`
  return changeMessage({ ...change, name: namesOf(side, tools), at })
}

const elsewhere =
  'Name a lock file instead, e.g. an earlier copy of `gen/toolgen.lock.json`: `toolgen diff path/to/toolgen.lock.json`.'

/** There is no Git. */
function noGit(): Diagnostic {
  const message = 'Git is not installed, so that there is no revision to compare with.'
  return { code: 'TG0030', severity: 'error', message, next: elsewhere }
}

/** The project is in no working tree. */
function noRepository(root: string, said: string): Diagnostic {
  const message = `Git finds no working tree in ${root}: ${said.replace(/^fatal: /, '')}.`
  return { code: 'TG0030', severity: 'error', message, next: elsewhere }
}

/** The base is neither a revision nor a path. */
function noSuchRevision(revision: string, names: readonly string[]): Diagnostic {
  const near = nearest(revision, names)
  const others = 'Correct the revision. A shallow clone may lack it: fetch more history.'
  return {
    code: 'TG0031',
    severity: 'error',
    message: `There is no revision \`${revision}\`, and no lock at such a path.`,
    next: near[0] === undefined ? others : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

/** The base leads to the last commit, of which there is none. */
function nothingCommitted(revision: string): Diagnostic {
  return {
    code: 'TG0031',
    severity: 'error',
    message: `There is no revision \`${revision}\`: nothing is committed on this branch yet.`,
    next: 'Run `toolgen generate` and commit its output, from which on changes can be told, or name a lock file.',
  }
}

/** What is to be compared with is given and names nothing. */
function emptyBase(base: string): Diagnostic {
  return {
    code: 'TG0031',
    severity: 'error',
    message: `There is nothing to compare with: \`${base}\` names no revision and no lock.`,
    next: 'Write `toolgen diff main`, `toolgen diff path/to/toolgen.lock.json`, or leave it out to compare with `HEAD`. A variable in its place may not be set.',
  }
}

/** The lock was not there yet, or somewhere else. */
function noLockAtRevision(revision: string, path: string): Diagnostic {
  return {
    code: 'TG0032',
    severity: 'error',
    message: `\`${path}\` does not exist at \`${revision}\`.`,
    next:
      'Run `toolgen generate` and commit its output, or name a revision that has it, or the path that it had: ' +
      `\`toolgen diff ${revision}:old/path/toolgen.lock.json\`.`,
  }
}

/** The base is a path that leads nowhere. */
function noSuchPath(path: string): Diagnostic {
  return {
    code: 'TG0032',
    severity: 'error',
    message: `There is no lock at \`${path}\`.`,
    next: 'Name a `toolgen.lock.json` or the folder that has it, relative to the folder in which the command works.',
  }
}

/** The operating system refuses to read the lock. */
function notReadable(path: string, why: string): Diagnostic {
  return {
    code: 'TG0033',
    severity: 'error',
    message: `\`${path}\` cannot be read: ${why}.`,
    next: 'Make the file readable, or name another.',
  }
}

/** What was found is no lock. */
function corruptBase(shown: string, reason: string): Diagnostic {
  return {
    code: 'TG0033',
    severity: 'error',
    message: `The lock of \`${shown}\` cannot be read: it ${reason}.`,
    next: 'Compare with a revision, or a file, whose lock is as `toolgen generate` wrote it.',
  }
}

/** The lock was written by a later toolgen. */
function newerBase(shown: string, contract: number): Diagnostic {
  return {
    code: 'TG0034',
    severity: 'error',
    message: `The lock of \`${shown}\` has contract version ${contract}, which this toolgen does not know.`,
    next: 'Use the version of toolgen that wrote it, or a later one.',
  }
}

/** What the design is compared with. */
interface Base {
  /** The text of the lock. */
  readonly text: string
  /** What people call it: `HEAD`, `main`, or the path of a file. */
  readonly shown: string
  readonly kind: 'revision' | 'file'
}

/** Where the base is looked for. */
interface BaseChoice {
  /** A revision of Git, `revision:path of a lock`, or the path of a lock or of a folder with one. Default: `HEAD`. */
  readonly base?: string
  /** Where the command was started: absolute. */
  readonly cwd: string
  /** The project's root: absolute. */
  readonly root: string
  /** The output folder, relative to the root. */
  readonly output: string
}

/** Finds the lock to compare with: a path that leads to one comes before a revision of the same name. */
export async function findBase({ base = 'HEAD', cwd, root, output }: BaseChoice): Promise<Checked<Base>> {
  if (base.trim() === '' || base === ':') return { diagnostics: [emptyBase(base)] }
  const path = lockFileAt(resolve(cwd, base))
  if (path !== undefined) return readBase(path, base)
  if (isPath(base)) return { diagnostics: [noSuchPath(base)] }
  const found = await lockAtRevision(base, { root, lock: `${output}/${lockPath}` })
  if (found.value === undefined) return { diagnostics: found.diagnostics }
  return { value: { text: found.value, shown: base, kind: 'revision' }, diagnostics: [] }
}

function lockFileAt(path: string): string | undefined {
  return [path, join(path, lockPath)].find((file) => foundAt(file)?.isFile() === true)
}

/** Whether a text can only be meant as a path. */
function isPath(text: string): boolean {
  return /^(?:\.{1,2}(?:[\\/]|$)|[\\/]|[A-Za-z]:[\\/])|^[^:]*\.json$/.test(text)
}

function readBase(path: string, base: string): Checked<Base> {
  try {
    return { value: { text: readFileSync(path, 'utf8'), shown: base, kind: 'file' }, diagnostics: [] }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return { diagnostics: [notReadable(base, inWords(error))] }
  }
}

/** What Git answered, or why it did not. */
type GitAnswer =
  | { readonly kind: 'answered'; readonly text: string }
  /** Git ran and refused. */
  | { readonly kind: 'refused'; readonly said: string }
  /** There is no Git on this machine. */
  | { readonly kind: 'missing' }

/** Locks are small, but not always: 1,000 tools take some megabytes. */
const largestAnswer = 256 * 1024 * 1024

/** Runs Git in a folder, without a shell. */
function askGit(folder: string, args: readonly string[]): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' }
    execFile('git', args, { cwd: folder, env, maxBuffer: largestAnswer }, (error, text, said) => {
      if (error === null) resolve({ kind: 'answered', text })
      else if (error.code === 'ENOENT') resolve({ kind: 'missing' })
      else if (typeof error.code === 'number') resolve({ kind: 'refused', said: said.trim().split('\n')[0] ?? '' })
      else reject(error)
    })
  })
}

/** Where a lock is. */
interface LockLocation {
  /** The project's root, somewhere in a working tree: absolute. */
  readonly root: string
  /** The lock's path, relative to the root. */
  readonly lock: string
}

/** The text of a lock as it was at a revision; after a colon the revision may name another path from the repository's root. */
async function lockAtRevision(named: string, { root, lock }: LockLocation): Promise<Checked<string>> {
  const inside = await askGit(root, ['rev-parse', '--is-inside-work-tree'])
  if (inside.kind === 'missing') return { diagnostics: [noGit()] }
  if (inside.kind === 'refused') return { diagnostics: [noRepository(root, inside.said)] }
  const [revision = '', ...path] = named.split(':')
  // What begins with a dash would be read as an option.
  const commit = revision.startsWith('-') || revision === '' ? undefined : await commitOf(root, revision)
  if (commit === undefined) {
    const isOfHead = /^(?:HEAD|@)(?![\w/.-])/.test(revision)
    if (isOfHead && (await commitOf(root, 'HEAD')) === undefined) return { diagnostics: [nothingCommitted(revision)] }
    return { diagnostics: [noSuchRevision(revision, await namesIn(root))] }
  }
  const wanted = path.length === 0 ? `./${lock}` : path.join(':')
  const blob = await askGit(root, ['cat-file', 'blob', `${commit}:${wanted}`])
  if (blob.kind === 'answered') return { value: blob.text, diagnostics: [] }
  return { diagnostics: [noLockAtRevision(revision, path.length === 0 ? lock : wanted)] }
}

async function commitOf(root: string, revision: string): Promise<string | undefined> {
  const answer = await askGit(root, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`])
  return answer.kind === 'answered' ? answer.text.trim() : undefined
}

/** The names of branches and tags. */
async function namesIn(root: string): Promise<readonly string[]> {
  const answer = await askGit(root, [
    'for-each-ref',
    '--format=%(refname:short)',
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  ])
  return answer.kind === 'answered' ? answer.text.split('\n').filter((name) => name !== '') : []
}
