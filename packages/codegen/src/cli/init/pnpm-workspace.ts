import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { patternToRegExp } from '../../config/design-files.js'
import { foundAt } from '../../evaluate/found-at.js'
import { relativePath } from '../../evaluate/relative-path.js'

/** The pnpm workspace that a new project lies in. */
export interface PnpmWorkspace {
  /** The file with its list of packages: absolute. */
  readonly file: string
  /** Whether the packages of toolgen are its own; then nothing else than `workspace:*` finds them. */
  readonly hasToolgen: boolean
  /** Whether its list of packages takes the new project in. */
  readonly hasProject: boolean
}

/**
 * The nearest `pnpm-workspace.yaml` above a folder, which need not exist yet.
 *
 * @param ownPackage the folder of the generator that runs: absolute, links followed
 */
export function findPnpmWorkspace(project: string, ownPackage: string): PnpmWorkspace | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const file = join(folder, 'pnpm-workspace.yaml')
    if (existsSync(file) && foundAt(file)?.isFile() === true) {
      const patterns = packagePatterns(readFileSync(file, 'utf8'))
      const has = (other: string): boolean => isMember(relativePath(folder, other), patterns)
      return { file, hasToolgen: has(ownPackage), hasProject: has(project) }
    }
    if (dirname(folder) === folder) return undefined
  }
}

/** The root belongs to its workspace whatever the list says. */
function isMember(path: string, patterns: readonly string[]): boolean {
  const matches = (pattern: string): boolean => patternToRegExp(pattern.replace(/^\.\/|\/$/g, '')).test(path)
  const [excluded, included] = [true, false].map((no) => patterns.filter((pattern) => pattern.startsWith('!') === no))
  if (excluded?.some((pattern) => matches(pattern.slice(1)))) return false
  return path === '' || (included ?? []).some(matches)
}

/** The entries of `packages`, written as a block or in brackets. */
function packagePatterns(yaml: string): readonly string[] {
  const [, flow, block = ''] =
    /^packages:[ \t]*(?:\[([^\]]*)\]|(?:#.*)?\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*))/m.exec(yaml) ?? []
  const entries =
    flow === undefined ? [...block.matchAll(/^[ \t]*-[ \t]+(.*)$/gm)].map(([, entry = '']) => entry) : flow.split(',')
  return entries
    .map((entry) =>
      entry
        .trim()
        .replace(/\s+#.*$/, '')
        .replace(/^(['"])(.*)\1$/, '$2'),
    )
    .filter(Boolean)
}
