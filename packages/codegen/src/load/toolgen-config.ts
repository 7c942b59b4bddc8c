import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { foundAt } from '../files.js'
import { byCodePoint } from '../text.js'
import type { LintConfig, TokensConfig } from './config-checks.js'

/** Content of `toolgen.config.ts`. All paths are relative to that file. */
export interface ToolgenConfig {
  /** The design's modules: files, or patterns with `*` (within a name) and `**` (any folders). */
  readonly design: string | readonly string[]
  /** The folder of the generated code, below the project's root. Default: `gen`. */
  readonly output?: string
  /** File extension of imports between generated files. Default: `.js`. */
  readonly importExtension?: '.js' | '.ts' | ''
  /**
   * In which form each toolset's codecs are written. `'ts'`: as `codecs.ts`. `'js'`: as `codecs.js` with its types in
   * `codecs.d.ts`, which a compiler checks in a fraction of the time, but does not copy to its `outDir`. Default: `'ts'`.
   *
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', codecs: 'js' })
   */
  readonly codecs?: 'ts' | 'js'
  /** The TypeScript configuration under which client types are read. Default: the nearest `tsconfig.json`. */
  readonly tsconfig?: string
  /**
   * Import specifiers that replace client modules in generated code, for example those of another package of a
   * monorepo: `{ 'design/clients.ts': '@acme/design/clients' }`.
   */
  readonly importMap?: Readonly<Record<string, string>>
  /**
   * Severity of the rules of `toolgen lint`, and checked vendors. Default: all rules warn, for all vendors.
   *
   * @example
   * export default defineConfig({ design: 'design/*.ts', lint: { rules: { 'unclear-unit': 'error' }, vendors:
   * ['openai'] } })
   */
  readonly lint?: LintConfig
  /**
   * In which tokens `toolgen tokens` counts, and how many there may be. Default: no budget.
   *
   * @example
   * export default defineConfig({ design: 'design/*.ts', tokens: { perTool: 500, perAgent: 4_000 } })
   */
  readonly tokens?: TokensConfig
}

/**
 * Types a configuration; returns it unchanged.
 *
 * @example
 * export default defineConfig({ design: 'design/**\/*.ts', output: 'src/gen' })
 */
export function defineConfig(config: ToolgenConfig): ToolgenConfig {
  return config
}

/** A configuration that was checked and has its defaults. */
export interface ResolvedConfig {
  /** The folder of the configuration file: absolute, as this machine writes paths. All else is relative to it, with `/`. */
  readonly root: string
  /** The configuration file. */
  readonly file: string
  /** Every file that took part in evaluating the configuration, sorted. */
  readonly closure: readonly string[]
  /** Design paths and patterns of the configuration, relative to the root. */
  readonly patterns: readonly string[]
  /** The design's modules, sorted by code point; at least one. */
  readonly design: readonly string[]
  readonly output: string
  readonly importExtension: '.js' | '.ts' | ''
  readonly codecs: 'ts' | 'js'
  /** Absent: there is none, the built-in options apply. */
  readonly tsconfig?: string
  readonly importMap: Readonly<Record<string, string>>
  readonly lint: LintConfig
  readonly tokens: TokensConfig
}

const moduleFile: RegExp = /(?<!\.d)\.[cm]?[jt]s$/
/** Deeper folders are not searched. */
const deepest = 64

/**
 * The module files that a pattern names, relative to the root with `/`, sorted by code point. `*` stands for any part of
 * a name, `**` for any folders; `node_modules`, folders whose names begin with a dot and `except` are never searched.
 *
 * @param except a folder relative to the root
 */
export function findDesignFiles(root: string, pattern: string, except: string): readonly string[] {
  const segments = posix.normalize(pattern).split('/')
  const fixed = segments.findIndex((segment) => segment.includes('*'))
  if (fixed === -1) return isFile(join(root, ...segments)) ? [segments.join('/')] : []
  const start = segments.slice(0, fixed).join('/')
  const matcher = patternToRegExp(segments.join('/'))
  return filesBelow(root, start, except, 0)
    .filter((file) => moduleFile.test(file) && matcher.test(file))
    .sort(byCodePoint)
}

function filesBelow(root: string, folder: string, except: string, depth: number): readonly string[] {
  if (depth > deepest) return []
  return entriesIn(join(root, folder)).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isFile() || (entry.isSymbolicLink() && isFile(join(root, path)))) return [path]
    const searched = entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')
    return searched && path !== except ? filesBelow(root, path, except, depth + 1) : []
  })
}

function entriesIn(folder: string): readonly import('node:fs').Dirent[] {
  return foundAt(folder)?.isDirectory() ? readdirSync(folder, { withFileTypes: true }) : []
}

function isFile(path: string): boolean {
  return foundAt(path)?.isFile() ?? false
}

/** `a/**\/b*.ts` as a regular expression over whole paths. */
export function patternToRegExp(pattern: string): RegExp {
  const source = pattern.split('/').reduce((done, segment, index, all) => {
    const last = index === all.length - 1
    if (segment === '**') return `${done}${last ? '.*' : '(?:[^/]+/)*'}`
    const name = segment.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*')
    return `${done}${name}${last ? '' : '/'}`
  }, '')
  return new RegExp(`^${source}$`)
}

/** The names under which a configuration is looked for, in this order. */
export const configNames: readonly string[] = ['toolgen.config.ts', 'toolgen.config.js', 'toolgen.config.mjs']

/**
 * The absolute path of the configuration file, without reading it.
 *
 * @param options.path the file that the user named; otherwise `cwd` is searched, no folder above it
 * @returns `undefined` where there is none
 */
export function findConfig(options: { readonly cwd: string; readonly path?: string }): string | undefined {
  const candidates = options.path === undefined ? configNames : [options.path]
  return candidates.map((name) => resolve(options.cwd, name)).find((file) => foundAt(file)?.isFile())
}

/** The folder, or the nearest above it, in which a configuration is found: absolute. */
export function folderWithConfig(folder: string): string | undefined {
  if (findConfig({ cwd: folder }) !== undefined) return folder
  const above = dirname(folder)
  return above === folder ? undefined : folderWithConfig(above)
}

/** The nearest `tsconfig.json` in the folder or above it. */
export function findTsconfig(folder: string): string | undefined {
  const file = join(folder, 'tsconfig.json')
  if (existsSync(file)) return file
  const above = dirname(folder)
  return above === folder ? undefined : findTsconfig(above)
}
