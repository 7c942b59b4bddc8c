import { accessSync, constants, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { foundAt, isDiskError } from '../files.js'

import { contentHash } from './files.js'

/** Files that package managers rewrite on every change of what is installed, and what else is looked for in folders above. */
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

/** A linked package with more files than this is not followed. */
const mostFiles = 10_000

/** Marks what holds for a folder: manifests, compiler options and records of package managers, in it and above it. */
export function markInstallation(folder: string): readonly InputMark[] {
  const above = dirname(folder)
  const here = installRecords.map((name) => markContent(join(folder, name)))
  return above === folder ? here : [...here, ...markInstallation(above)]
}

/**
 * Marks the packages that modules import: each by its manifest; one that is linked from a workspace by all its files,
 * together with the linked packages that it needs itself. Undefined when that is too much.
 */
export function markPackages(folder: string, specifiers: Iterable<string>): readonly InputMark[] | undefined {
  const marks: InputMark[] = []
  const waiting = [...new Set([...specifiers].map(packageOf))].map((name) => ({ name, from: folder }))
  const seen = new Set<string>()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found = findPackage(next.name, next.from)
    if (found === undefined || seen.has(found)) continue
    seen.add(found)
    const own = markPackage(found)
    if (own === undefined) return undefined
    marks.push(...own)
    if (isInstalled(found)) continue
    for (const name of dependenciesOf(join(found, 'package.json'))) waiting.push({ name, from: found })
  }
  return marks
}

/** Marks one package: an installed one by its manifest, a linked one by all its files. */
export function markPackage(folder: string): readonly InputMark[] | undefined {
  const manifest = markContent(join(folder, 'package.json'))
  if (isInstalled(folder)) return [manifest]
  const files = filesBelow(folder)
  return files === undefined ? undefined : [manifest, ...files.map((file) => markPackageFile(file))]
}

function isInstalled(folder: string): boolean {
  return folder.split(sep).includes('node_modules')
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Returns the real folder of a package; undefined for an alias of the TypeScript configuration, whose target is a module. */
function findPackage(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name)
  if (foundAt(join(folder, 'package.json'))?.isFile() === true) return realpathSync(folder)
  const above = dirname(from)
  return above === from ? undefined : findPackage(name, above)
}

function filesBelow(folder: string): readonly string[] | undefined {
  const files: string[] = []
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

function dependenciesOf(manifest: string): readonly string[] {
  const parsed: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
  if (typeof parsed !== 'object' || parsed === null) return []
  return Object.entries(parsed).flatMap(([key, value]: [string, unknown]) =>
    /^(?:dependencies|peerDependencies|optionalDependencies)$/.test(key) && typeof value === 'object' && value !== null
      ? Object.keys(value)
      : [],
  )
}

/** The state of an input when the record was made. Cheap to compare, and equal only if the input is. */
export type InputMark =
  /** The content decides. */
  | { readonly kind: 'content'; readonly path: string; readonly hash: string | null }
  /** A file of an installed package, which nobody edits: size and time decide, and only where they differ the content. */
  | {
      readonly kind: 'package file'
      readonly path: string
      readonly size: number
      readonly modifiedMs: number
      readonly hash: string
    }
  /** The names in a folder decide: a new file can change what an import or a pattern finds. */
  | { readonly kind: 'names'; readonly path: string; readonly hash: string | null }

/** Marks a file by its content; a file that does not exist is marked as absent. */
export function markContent(path: string): InputMark {
  return { kind: 'content', path, hash: hashOfFile(path) }
}

/** Marks a file of an installed package. */
function markPackageFile(path: string): InputMark {
  const found = foundAt(path)
  const hash = hashOfFile(path)
  if (found === undefined || hash === null) return markContent(path)
  return { kind: 'package file', path, size: found.size, modifiedMs: found.mtimeMs, hash }
}

/** Marks a folder by the names in it. */
export function markNames(path: string): InputMark {
  return { kind: 'names', path, hash: hashOfNames(path) }
}

/** Checks whether an input is still as it was marked. */
export function isUnchanged(mark: InputMark): boolean {
  switch (mark.kind) {
    case 'content':
      return hashOfFile(mark.path) === mark.hash
    case 'names':
      return hashOfNames(mark.path) === mark.hash
    case 'package file': {
      const found = foundAt(mark.path)
      if (found === undefined) return false
      const untouched = found.size === mark.size && found.mtimeMs === mark.modifiedMs
      return untouched || hashOfFile(mark.path) === mark.hash
    }
  }
}

function hashOfFile(path: string): string | null {
  return foundAt(path)?.isFile() === true ? contentHash(readFileSync(path)) : null
}

function hashOfNames(path: string): string | null {
  if (foundAt(path)?.isDirectory() !== true) return null
  return contentHash(readdirSync(path).sort().join('\n'))
}

/** The dependencies of an evaluated module, by its text. */
interface ModuleReading {
  /** True if the files that are imported are all that it depends on, as far as its text tells. */
  readonly pure: boolean
  /** The specifiers of its imports that are not relative. */
  readonly packages: readonly string[]
}

/** Builtin modules whose answers depend on their arguments alone. */
const pureBuiltins: readonly string[] = ['path', 'url', 'util', 'assert', 'querystring', 'buffer', 'crypto']

const literalImport = /\b(?:from|import|require)\s*\(?\s*(['"])([^'"\n]+)\1/g

/** Imports whose target only evaluation knows, and values that differ from run to run or from machine to machine. */
const impure: readonly RegExp[] = [
  /\b(?:import|require)\s*\(\s*[^'"\s)]/,
  /\bimport\s*\/[*/]/,
  /\bprocess\??\.\w|=\s*process\b|\bprocess\[/,
  /\bimport\.meta\.(?:env|glob)/,
  /\bglobalThis\b/,
  /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\bperformance\b|\bfetch\s*\(|\brandom(?:UUID|Bytes)\b/,
]

/** Reads the dependencies of a module from its text. Doubtful text counts as impure: then all work is done each time. */
export function readModule(text: string, isBuiltin: (specifier: string) => boolean): ModuleReading {
  const specifiers = [...text.matchAll(literalImport)].map(([, , specifier = '']) => specifier)
  const bare = specifiers.filter((specifier) => !/^(?:\.|\/|file:)/.test(specifier))
  const builtins = bare.filter(isBuiltin)
  const pure =
    impure.every((pattern) => !pattern.test(text)) &&
    builtins.every((specifier) => pureBuiltins.includes(specifier.replace(/^node:/, '')))
  return { pure, packages: bare.filter((specifier) => !isBuiltin(specifier)) }
}

/**
 * Returns the folder in which runs for a configuration file keep their caches: in the nearest `node_modules/.cache`, which
 * no version control and no compiler looks into. Undefined where nothing is installed or nothing can be written; then
 * nothing is kept.
 */
export function cacheFolderFor(configFile: string): string | undefined {
  const modules = nearestModules(dirname(configFile))
  if (modules === undefined) return undefined
  const folder = join(modules, '.cache', 'toolgen', contentHash(configFile).slice(0, 32))
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}

function nearestModules(folder: string): string | undefined {
  const modules = join(folder, 'node_modules')
  if (foundAt(modules)?.isDirectory() === true) return modules
  const above = dirname(folder)
  return above === folder ? undefined : nearestModules(above)
}
