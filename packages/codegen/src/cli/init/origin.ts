import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { foundAt } from '../../evaluate/found-at.js'

/** Where the generator that runs came from, as far as that decides how a project gets the other packages of its version. */
export type Origin =
  /** A registry, which has the others too. */
  | { readonly kind: 'registry' }
  /**
   * A file that a manifest names, with the path of the packed package where it is one: absolute. No registry need have any of
   * the others.
   */
  | { readonly kind: 'file'; readonly named: string; readonly tarball: string | undefined }
  /** Its sources, in a folder: absolute. No registry need have their version. */
  | { readonly kind: 'sources'; readonly folder: string }

/** What a project's package.json says, as far as a new project goes by it. */
export interface Manifest {
  readonly isModule: boolean
  /** The range of each package that it names. */
  readonly ranges: Readonly<Record<string, string>>
}

/** The package.json of a folder; undefined where there is none, or none that can be read. */
export function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json')
  try {
    // To read a pipe is to wait for who writes to it.
    if (foundAt(file)?.isFile() !== true) return undefined
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const { type, dependencies, devDependencies, peerDependencies } = Object(parsed)
    return { isModule: type === 'module', ranges: { ...peerDependencies, ...devDependencies, ...dependencies } }
  } catch {
    return undefined
  }
}

/**
 * Where the generator came from: the manifest of the new project says it, or that of the project in which it is installed.
 *
 * @param ownPackage its folder: absolute, links followed
 * @param root of the new project: absolute
 */
export function originOf(ownPackage: string, root: string): Origin {
  const [installed, ...inside] = ownPackage.split(/[\\/]node_modules[\\/]/)
  if (installed === undefined || inside.length === 0) return { kind: 'sources', folder: join(ownPackage, '../..') }
  for (const folder of [root, installed]) {
    const named = readManifest(folder)?.ranges['@toolgen/codegen'] ?? ''
    // `file:../x.tgz`, `https://...`, `git+ssh://...`, `../x.tgz`: a range of versions has no slash.
    if (named.includes('/')) return { kind: 'file', named, tarball: tarballOf(named, folder) }
  }
  return { kind: 'registry' }
}

function tarballOf(named: string, folder: string): string | undefined {
  const path = resolve(folder, named.replace(/^file:/, ''))
  return path.endsWith('.tgz') && existsSync(path) ? path : undefined
}

/** The tarballs of the packages, as they lie beside that of the generator; undefined where one is missing. */
export function tarballsBeside(generator: string, packages: readonly string[]): readonly string[] | undefined {
  const paths = packages.map((name) =>
    join(dirname(generator), basename(generator).replace('codegen', name.replace('@toolgen/', ''))),
  )
  return paths.every((path) => existsSync(path)) ? paths : undefined
}

/** Whether a package is found from a folder, as Node looks for it. */
export function isInstalled(name: string, folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return true
  const above = dirname(folder)
  return above !== folder && isInstalled(name, above)
}
