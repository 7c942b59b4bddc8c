import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { foundAt, relativePath } from '../../files.js'

import { patternToRegExp } from '../../load/toolgen-config.js'
import type { EmittedFile } from '../../output/files.js'
import type { ProjectNames } from './init-files.js'

/** The packages that the example needs, with their versions. */
export interface Dependencies {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/**
 * Returns the packages that the example needs.
 *
 * @param toolgen the range for toolgen's own packages
 */
export function exampleDependencies(toolgen: string): Dependencies {
  return {
    dependencies: { '@toolgen/runtime': toolgen },
    devDependencies: {
      '@toolgen/codegen': toolgen,
      '@toolgen/dsl': toolgen,
      '@types/node': '^20.19.43',
      typescript: '^5.9.3',
      zod: '^4.6.7',
    },
  }
}

/** Returns the files of a new package; each is written only if the folder has none. */
export function workspaceFiles(
  { designFolder, outputFolder }: Pick<ProjectNames, 'designFolder' | 'outputFolder'>,
  needed: Dependencies,
): readonly EmittedFile[] {
  const manifest = {
    private: true,
    type: 'module',
    scripts: {
      generate: 'toolgen generate',
      check: 'toolgen check && tsc --noEmit',
      start: 'toolgen generate && tsc && node dist/src/main.js',
    },
    ...needed,
  }
  const compiler = {
    compilerOptions: {
      target: 'ES2022',
      lib: ['ES2023'],
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      rootDir: '.',
      outDir: 'dist',
    },
    include: ['src', ...[designFolder, outputFolder].filter((folder) => !folder.startsWith('src/'))],
  }
  return [
    { path: 'package.json', text: json(manifest) },
    { path: 'tsconfig.json', text: json(compiler) },
    { path: '.gitignore', text: 'node_modules\ndist\n' },
  ]
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The pnpm workspace that a new project lies in. */
export interface PnpmWorkspace {
  /** The file with its list of packages: absolute. */
  readonly file: string
  /** True if the packages of toolgen are its own; then nothing else than `workspace:*` finds them. */
  readonly hasToolgen: boolean
  /** True if its list of packages takes the new project in. */
  readonly hasProject: boolean
}

/**
 * Returns the nearest `pnpm-workspace.yaml` above a folder, which need not exist yet.
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

/** Returns the root belongs to its workspace whatever the list says. */
function isMember(path: string, patterns: readonly string[]): boolean {
  const matches = (pattern: string): boolean => patternToRegExp(pattern.replace(/^\.\/|\/$/g, '')).test(path)
  const [excluded, included] = [true, false].map((no) => patterns.filter((pattern) => pattern.startsWith('!') === no))
  if (excluded?.some((pattern) => matches(pattern.slice(1)))) return false
  return path === '' || (included ?? []).some(matches)
}

/** Returns the entries of `packages`, written as a block or in brackets. */
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
