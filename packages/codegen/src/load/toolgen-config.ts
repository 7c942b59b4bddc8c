import { existsSync, readdirSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { foldersUpFrom, isFile, isFolder } from '../files.js'
import { byCodePoint } from '../text.js'

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

/** Severity of a rule's diagnostics. */
export type RuleLevel = 'off' | 'warning' | 'error'

/** Configuration of `toolgen lint`. */
export interface LintConfig {
  /** Rule → how much its findings matter. Default: `warning` for each. */
  readonly rules?: Readonly<Record<string, RuleLevel>>
  /** Vendors whose tool forms are checked. Default: all. */
  readonly vendors?: readonly Vendor[]
  /** Number of accepted warnings. Default: 0. */
  readonly maxWarnings?: number
}

/** Vendor of models whose form of tools is known; `mcp` is the form in which an MCP server lists them. */
export type Vendor = 'openai' | 'anthropic' | 'gemini' | 'mcp'

/** The vendors whose forms are known, sorted. */
export const vendors: readonly Vendor[] = ['anthropic', 'gemini', 'mcp', 'openai']

/** Encoding that splits text into tokens: `o200k_base` for GPT-4o and later, `cl100k_base` for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base'

/** The encodings that can be counted in, the default first. */
export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base']

/** Configuration of `toolgen tokens`. */
export interface TokensConfig {
  /** Default: `o200k_base`. */
  readonly encoding?: Encoding
  /** In whose form tools are counted. Default: `openai`. */
  readonly as?: Vendor
  /** Maximum number of tokens per tool definition. Default: no limit. */
  readonly perTool?: number
  /** Maximum number of tokens of all tool definitions of an agent. Default: no limit. */
  readonly perAgent?: number
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
  /** Absolute path of the configuration's folder, in the notation of the system. Other paths are relative to it, with `/`. */
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
  if (depth > deepest || !isFolder(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isFile() || (entry.isSymbolicLink() && isFile(join(root, path)))) return [path]
    const searched = entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')
    return searched && path !== except ? filesBelow(root, path, except, depth + 1) : []
  })
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

/** File names of a configuration, in the order of the search. */
export const configNames: readonly string[] = ['toolgen.config.ts', 'toolgen.config.js', 'toolgen.config.mjs']

/**
 * Returns the absolute path of the configuration file, if it exists.
 *
 * @param options.path the file that the user named. Default: the configuration in `cwd` itself
 */
export function findConfig(options: { readonly cwd: string; readonly path?: string }): string | undefined {
  const candidates = options.path === undefined ? configNames : [options.path]
  return candidates.map((name) => resolve(options.cwd, name)).find(isFile)
}

/** The nearest `tsconfig.json` in the folder or above it. */
export function findTsconfig(folder: string): string | undefined {
  return foldersUpFrom(folder)
    .map((parent) => join(parent, 'tsconfig.json'))
    .find((file) => existsSync(file))
}
