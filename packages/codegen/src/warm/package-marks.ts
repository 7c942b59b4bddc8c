import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'
import { type InputMark, markContent, markPackageFile } from './input-mark.js'

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

/** The real folder of a package; undefined for an alias of the TypeScript configuration, whose target is a module. */
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
