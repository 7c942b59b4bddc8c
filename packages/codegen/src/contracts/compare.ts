import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defined } from '../defined.js'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, errorAt, type Severity } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { diskErrorText, foundAt, isDiskError } from '../files.js'
import type { DesignIr } from '../ir/types.js'
import { lockPath, lockText } from '../output/lock.js'
import { type ContractChange, changeMessage, sharedSubjectName } from './change.js'
import { contractChanges, locationsOf } from './changes.js'
import { readContracts } from './contracts.js'
import { recordedCalls, recordedChanges } from './recorded.js'
import { type Impact, ruleOf } from './rules.js'

interface BaseOptions {
  /** A revision of Git, `revision:path of a lock`, or the path of a lock or of a folder with one. Default: `HEAD`. */
  readonly base?: string
  /** Folder in which the command was started: absolute. */
  readonly cwd: string
  /** The project's root: absolute. */
  readonly root: string
  /** The output folder, relative to the root. */
  readonly output: string
}

export interface ComparisonOptions extends BaseOptions {
  /** Pattern of cassettes, relative to `cwd`. */
  readonly cassettes?: string
}

export interface Comparison {
  readonly base: Pick<Base, 'kind' | 'shown'>
  readonly changes: readonly ContractChange[]
  readonly recorded: { readonly examples: number; readonly calls: number }
}

/** Compares the contracts of a design with those of a lock. */
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
    const message = `The lock of \`${shown}\` has contract version ${before.contract}, which this toolgen does not know.`
    return failed('TG0034', message, 'Use the version of toolgen that wrote it, or a later one.')
  }
  if (before.kind === 'corrupt') {
    const next = 'Compare with a revision, or a file, whose lock is as `toolgen generate` wrote it.'
    return failed('TG0033', `The lock of \`${shown}\` cannot be read: it ${before.reason}.`, next)
  }
  // Both sides are read from a lock.
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
        'Recorded calls were not decoded, and no values were tried that show what changed: `@toolgen/runtime` cannot be loaded ' +
        'in the project.',
      next: 'Install it in the project: `npm install @toolgen/runtime`.',
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

/** Returns a diagnostic for each change. A change in a definition is reported once, at the first tool that needs it. */
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

/** Returns a key that changes of the same definition share. */
function sharedKey(change: ContractChange): string | undefined {
  const { rule, tool, side, definition, before, after, rename, certain } = change
  if (definition === undefined) return undefined
  const toolset = tool?.slice(0, tool.indexOf('.'))
  return JSON.stringify([toolset, side, rule, definition, before, after, rename, certain])
}

/** An uncertain change fails the command too, because nothing proves it harmless. */
function changeDiagnostic({ rule, severity, certain, location }: ContractChange, text: string): Diagnostic {
  const { next } = ruleOf(rule)
  const mayBreak = severity === 'breaking' && !certain
  const [code, level] = mayBreak ? (['TG8104', 'error'] as const) : severities[severity]
  return defined({
    code,
    severity: level,
    message: `${text} (${rule})`,
    next: mayBreak ? `Compare both schemas by hand. Where something breaks: ${next}` : next,
    location,
  })
}

function failed(code: string, message: string, next: string): Checked<never> {
  return { diagnostics: [errorAt(undefined, code, message, next)] }
}

const otherBase =
  'Name a lock file instead, e.g. an earlier copy of `gen/toolgen.lock.json`: `toolgen diff path/to/toolgen.lock.json`.'

/** The lock with which a design is compared. */
interface Base {
  readonly text: string
  /** Name for people: `HEAD`, `main`, or the path of a file. */
  readonly shown: string
  readonly kind: 'revision' | 'file'
}

/** Finds the lock to compare with. The path of a lock takes precedence over a revision of the same name. */
export async function findBase({ base = 'HEAD', cwd, root, output }: BaseOptions): Promise<Checked<Base>> {
  if (base.trim() === '' || base === ':') {
    return failed(
      'TG0031',
      `There is nothing to compare with: \`${base}\` names no revision and no lock.`,
      'Write `toolgen diff main`, `toolgen diff path/to/toolgen.lock.json`, or leave it out to compare with `HEAD`. A variable in its place may not be set.',
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
        `\`${base}\` cannot be read: ${diskErrorText(error)}.`,
        'Make the file readable, or name another.',
      )
    }
  }
  const canOnlyBePath = /^(?:\.{1,2}(?:[\\/]|$)|[\\/]|[A-Za-z]:[\\/])|^[^:]*\.json$/.test(base)
  if (canOnlyBePath) {
    const next =
      'Name a `toolgen.lock.json` or the folder that has it, relative to the folder in which the command works.'
    return failed('TG0032', `There is no lock at \`${base}\`.`, next)
  }
  const found = await lockAtRevision(base, root, `${output}/${lockPath}`)
  if (found.value === undefined) return { diagnostics: found.diagnostics }
  return { value: { text: found.value, shown: base, kind: 'revision' }, diagnostics: [] }
}

/**
 * Reads a lock at a revision.
 *
 * @param named a revision, or `revision:path` with a path from the repository's root
 * @param root the project's root, in a working tree: absolute
 * @param lock path of the lock, relative to the root
 */
async function lockAtRevision(named: string, root: string, lock: string): Promise<Checked<string>> {
  const inside = await git(root, 'rev-parse', '--is-inside-work-tree')
  if (inside.kind === 'missing') {
    return failed('TG0030', 'Git is not installed, so that there is no revision to compare with.', otherBase)
  }
  if (inside.kind === 'failed') {
    const reason = inside.reason.replace(/^fatal: /, '')
    return failed('TG0030', `Git finds no working tree in ${root}: ${reason}.`, otherBase)
  }
  const [revision = '', ...path] = named.split(':')
  // Git would read a leading dash as an option.
  const commit = revision.startsWith('-') || revision === '' ? undefined : await commitOf(root, revision)
  if (commit === undefined) {
    const isOfHead = /^(?:HEAD|@)(?![\w/.-])/.test(revision)
    if (isOfHead && (await commitOf(root, 'HEAD')) === undefined) {
      return failed(
        'TG0031',
        `There is no revision \`${revision}\`: nothing is committed on this branch yet.`,
        'Run `toolgen generate` and commit its output, from which on changes can be told, or name a lock file.',
      )
    }
    const known = await branchesAndTags(root)
    const message = `There is no revision \`${revision}\`, and no lock at such a path.`
    const next = 'Correct the revision. A shallow clone may lack it: fetch more history.'
    return { diagnostics: [unknownNameAt(undefined, 'TG0031', message, revision, known, next)] }
  }
  const wanted = path.length === 0 ? `./${lock}` : path.join(':')
  const blob = await git(root, 'cat-file', 'blob', `${commit}:${wanted}`)
  if (blob.kind === 'done') return { value: blob.output, diagnostics: [] }
  return failed(
    'TG0032',
    `\`${path.length === 0 ? lock : wanted}\` does not exist at \`${revision}\`.`,
    'Run `toolgen generate` and commit its output, or name a revision that has it, or the path that it had: ' +
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

/** Result of running Git; `missing` if it is not installed. */
type GitResult =
  | { readonly kind: 'done'; readonly output: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'missing' }

/** Limit for the output of Git in bytes: a lock with 1,000 tools has some megabytes. */
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
