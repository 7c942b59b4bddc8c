import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, sep } from 'node:path'
import { type Probes, probeDisk, readCache, writeCache } from './cache.js'
import { contentHash, foldersOfModule, foldersUpFrom, foundAt, isFile, ownPath, tsconfigFiles } from './files.js'
import { findDesignFiles, type ResolvedConfig } from './load/toolgen-config.js'
import { hashOf, type PlannedOutput } from './output/files.js'
import { lockPath } from './output/lock.js'
import { stagingName } from './output/publish.js'
import type { GenerateResult } from './plan-output.js'
import { byCodePoint } from './text.js'

const recordName = 'run.json'
const servicesName = 'service-binding.json'

/** Contains the version of Node, because the design can have a different result in each version. */
const recordKey = `2 ${process.version}`

interface RunRecord extends Pick<ResolvedConfig, 'root' | 'output' | 'design' | 'patterns'> {
  readonly result: GenerateResult
}

/**
 * Does not evaluate the design: {@link readCache} compares all recorded inputs and outputs with the disk, and this function searches for new design
 * files.
 */
export function recallRun(cacheFolder: string): GenerateResult | undefined {
  const record = readCache(join(cacheFolder, recordName), recordKey)?.value
  if (!isRecord(record)) return undefined
  const { root, output, design, patterns, result } = record
  const found = new Set(patterns.flatMap((pattern) => findDesignFiles(root, pattern, output)))
  return found.size === design.length && design.every((file) => found.has(file)) ? result : undefined
}

function isRecord(value: unknown): value is RunRecord {
  // The key of the cache entry guarantees the types of the fields.
  return typeof value === 'object' && value !== null && 'result' in value
}

interface FinishedRun {
  readonly config: ResolvedConfig
  readonly evaluated: readonly string[]
  readonly usesClients: boolean
  readonly planned: PlannedOutput
  readonly result: GenerateResult
  readonly startedAt: number
}

/** Deletes the record if the run depends on more than files, for example on the time. */
export function rememberRun(cacheFolder: string, run: FinishedRun): void {
  const { config, planned, result } = run
  const { root, output, design, patterns } = config
  const inputs = inputsOf(cacheFolder, run)
  const folder = join(root, output)
  const unchanged = planned.files.map(({ path }) => path).sort(byCodePoint)
  const value: RunRecord = {
    root,
    output,
    design,
    patterns,
    result: { ...result, upToDate: true, recalled: true, written: [], removed: [], unchanged },
  }
  const outputs: Probes = [
    ['own', join(folder, lockPath), contentHash(planned.lock)],
    ['real', join(folder, stagingName), ''],
    ...planned.files.map((file) => ['own', join(folder, file.path), hashOf(file)] as const),
  ]
  const entry = inputs && { key: recordKey, probes: [...inputs, ...outputs], value }
  writeCache(join(cacheFolder, recordName), entry)
}

function inputsOf(cacheFolder: string, { config, evaluated, usesClients, startedAt }: FinishedRun): Probes | undefined {
  const { root } = config
  const services = usesClients ? readCache(join(cacheFolder, servicesName))?.probes : []
  const modules = [...new Set([config.file, ...evaluated])].map((file) => join(root, file))
  const texts = modules.map((file) => [file, readFileSync(file, 'utf8')] as const)
  const readings = texts.map(([, text]) => readModule(text))
  if (services === undefined || readings.some(({ pure }) => !pure)) return undefined
  const specifiers = readings.flatMap(({ packages }) => packages)
  const packages = packageFiles(root, specifiers)
  const generator = filesOfPackage(ownPath(''))
  const compiler = config.tsconfig === undefined ? [] : tsconfigFiles(join(root, config.tsconfig))
  if (packages === undefined || generator === undefined || compiler === undefined) return undefined
  const ownFiles = [...modules, ...compiler]
  const ofModules = texts.flatMap(([file, text]) => foldersOfModule(file, text))
  const folders = new Set([root, ...ofModules, ...compiler.map((file) => dirname(file))])
  const files = new Set([...ownFiles, ...installationFiles(root), ...packages, ...generator])
  if ([...files].some((file) => (foundAt(file)?.ctimeMs ?? 0) >= startedAt)) return undefined
  const stamped = new Set([...packages, ...generator].filter((file) => basename(file) !== 'package.json'))
  const probe = (kind: 'read' | 'stamp' | 'list', path: string): Probes[number] => [kind, path, probeDisk(kind, path)]
  return [
    ...[...files].map((file) => probe(stamped.has(file) ? 'stamp' : 'read', file)),
    ...[...folders].map((folder) => probe('list', folder)),
    ...services,
  ]
}

const installRecords: readonly string[] = [
  'package.json',
  'tsconfig.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-integrity',
  'node_modules/.yarn-state.yml',
]

export function installationFiles(folder: string): readonly string[] {
  return foldersUpFrom(folder).flatMap((parent) => installRecords.map((name) => join(parent, name)))
}

const mostFiles = 10_000

/**
 * Returns the files that affect imports from packages. For an installed package, this is its `package.json`. For a linked package, for example of a
 * workspace, these are all its files, and also the files for each of its dependencies. Returns `undefined` if a package has too many files.
 */
export function packageFiles(folder: string, specifiers: Iterable<string>): readonly string[] | undefined {
  const files: string[] = []
  const waiting = [...specifiers].map((specifier) => ({ name: packageOf(specifier), from: folder }))
  const seen = new Set<string>()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, from } = next
    const installed = foldersUpFrom(from).map((parent) => join(parent, 'node_modules', name))
    // A path alias of the TypeScript configuration is not a package: the target of the alias is a module.
    const link = installed.find((path) => isFile(join(path, 'package.json')))
    const found = link && realpathSync(link)
    if (found === undefined || seen.has(found)) continue
    seen.add(found)
    const own = filesOfPackage(found)
    if (own === undefined) return undefined
    files.push(...own)
    if (!isInstalled(found)) waiting.push(...dependenciesOf(found).map((needed) => ({ name: needed, from: found })))
  }
  return files
}

function filesOfPackage(folder: string): readonly string[] | undefined {
  const files = [join(folder, 'package.json')]
  if (isInstalled(folder)) return files
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const path = join(next, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) files.push(path)
    }
    if (files.length > mostFiles) return undefined
  }
  return files
}

function isInstalled(folder: string): boolean {
  return folder.split(sep).includes('node_modules')
}

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/')
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

function dependenciesOf(folder: string): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { dependencies, peerDependencies, optionalDependencies } = Object(manifest)
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
}

interface ModuleReading {
  readonly pure: boolean
  readonly packages: readonly string[]
}

const pureBuiltins: readonly string[] = ['path', 'url', 'util', 'assert', 'querystring', 'buffer', 'crypto']

const literalImport = /\b(?:from|import|require)\s*\(?\s*(['"])([^'"\n]+)\1/g

const impure: readonly RegExp[] = [
  /\b(?:import|require)\s*\(\s*[^'"\s)]/,
  /\bimport\s*\/[*/]/,
  /\bprocess\??\.\w|=\s*process\b|\bprocess\[|[([{,:]\s*process\s*[,)\]}]/,
  /\bimport\.meta\.(?:env|glob)/,
  /\bglobalThis\b/,
  /\bnew Date\b(?!\s*\(\s*[^)\s])|(?<!\bnew )\bDate\(|\bDate\.now\b|\bIntl\.DateTimeFormat\b|\btoLocale\w*\(/,
  /\bMath\.random\b|\bperformance\b|\bfetch\s*\(|\brandom(?:UUID|Bytes|Int|Fill)|\bgetRandomValues\b|\bgenerate(?:Key|Prime)/,
]

/** The generator evaluates a module in each run unless the module is `pure`: its exports depend only on imported files. */
export function readModule(text: string): ModuleReading {
  const specifiers = [...text.matchAll(literalImport)].map(([, , specifier = '']) => specifier)
  const bare = specifiers.filter((specifier) => !/^(?:\.|\/|file:)/.test(specifier))
  const pure =
    impure.every((pattern) => !pattern.test(text)) &&
    bare.every((specifier) => !isBuiltin(specifier) || pureBuiltins.includes(specifier.replace(/^node:/, '')))
  return { pure, packages: bare.filter((specifier) => !isBuiltin(specifier)) }
}
