import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'

/** The folders whose names matter to a plan: a new module in one of them can change what a pattern or an import finds. */
export interface SearchedFolders {
  /** The project's root: absolute. */
  readonly root: string
  /** Patterns of design modules, relative to the root. */
  readonly patterns: readonly string[]
  /** The output folder, relative to the root; its files are no input. */
  readonly output: string
  /** The modules that were read: absolute. */
  readonly modules: readonly string[]
}

/** What can be imported or found by a pattern. */
export const moduleName: RegExp = /\.(?:[cm]?[jt]sx?|json)$/

/** More folders than these are not searched for modules that do not exist yet. */
const mostFolders = 2000

const relativeImport = /\b(?:from|import|require)\s*\(?\s*(['"])(\.[^'"\n]+)\1/g

/** What no module of a design is found in. */
export function isPassedBy(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** Lists the folders; in place of one that does not exist stands the nearest one above it. */
export function searchedFolders({ root, patterns, output, modules }: SearchedFolders): readonly string[] {
  const ofPatterns = patterns.flatMap((pattern) => {
    const segments = posix.normalize(pattern).split('/')
    const fixed = segments.findIndex((segment) => segment.includes('*'))
    const base = join(root, ...segments.slice(0, fixed === -1 ? -1 : fixed))
    return fixed === -1 ? [base] : foldersBelow(base, join(root, output))
  })
  const ofModules = modules.flatMap((file) => [dirname(file), ...importedFolders(file)])
  return [...new Set([root, ...ofPatterns, ...ofModules].map((folder) => existing(folder)))]
}

function foldersBelow(base: string, except: string): readonly string[] {
  const found = [base]
  for (const folder of found) {
    if (foundAt(folder)?.isDirectory() !== true || found.length > mostFolders) continue
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !isPassedBy(entry.name) && path !== except) found.push(path)
    }
  }
  return found
}

/** Every module below a folder, generated ones too: absolute. */
export function modulesBelow(root: string): readonly string[] {
  return foldersBelow(root, root).flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && moduleName.test(entry.name) ? [join(folder, entry.name)] : [],
    ),
  )
}

/** Where a module imports from, whether that exists or not. */
function importedFolders(file: string): readonly string[] {
  if (file.endsWith('.json') || foundAt(file)?.isFile() !== true) return []
  const specifiers = [...readFileSync(file, 'utf8').matchAll(relativeImport)].map(([, , specifier = '']) => specifier)
  return specifiers.map((specifier) => dirname(resolve(dirname(file), specifier)))
}

function existing(folder: string): string {
  const above = dirname(folder)
  return above === folder || foundAt(folder)?.isDirectory() === true ? folder : existing(above)
}
