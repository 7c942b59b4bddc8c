import { existsSync, readdirSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { foldersUpFrom, isFile, isFolder } from '../files.js'
import { byCodePoint } from '../text.js'

/** Content of `toolgen.config.ts`. All paths are relative to the folder of this file. */
export interface ToolgenConfig {
  /** Paths of the design modules. In a path, `*` matches any part of a name, and `**` matches any number of folders. */
  readonly design: string | readonly string[]
  /** Output folder for generated code, inside the project. Default: `gen`. */
  readonly output?: string
  /** File extension of imports between generated files. Default: `.js`. */
  readonly importExtension?: '.js' | '.ts' | ''
  /**
   * Language of generated codecs. `'ts'` writes `codecs.ts`. `'js'` writes `codecs.js` and `codecs.d.ts`; the compiler then needs less time. `tsc`
   * does not copy `codecs.js` to its `outDir`, so you must copy this file. Default: `'ts'`.
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', codecs: 'js' })
   */
  readonly codecs?: 'ts' | 'js'
  /**
   * True to generate `agents/<agent>/api.ts`. This file contains TypeScript declarations of the agent's tools. Models receive these declarations in
   * code mode. Default: `true`.
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', declarations: false })
   */
  readonly declarations?: boolean
  /**
   * True to generate `agents/<agent>/search-index.ts`. This file contains a search index of the agent's tools. The index makes the first tool search
   * faster. Default: `false`.
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', searchIndex: true })
   */
  readonly searchIndex?: boolean
  /**
   * TypeScript configuration for reading the types of service clients. Default: the nearest `tsconfig.json` in the project folder or its parent
   * folders.
   */
  readonly tsconfig?: string
  /**
   * Module with the tools for `toolgen call` and `toolgen serve`. The module must export a `ServedModule` of `@toolgen/runtime/mcp` as `tools` or as
   * the default export. Default: no module; the commands then need the path of a module as an argument.
   *
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', module: 'src/tools.ts' })
   */
  readonly module?: string
  /**
   * Import specifiers for modules that export service clients, by module path. For example, set a specifier for a module in another package of a
   * monorepo: `{ 'design/clients.ts': '@acme/design/clients' }`. Default: generated code imports a module by its relative path.
   */
  readonly importMap?: Readonly<Record<string, string>>
  /**
   * Configuration of `toolgen lint`. Default: every rule reports warnings, and the limits of all vendors are checked.
   *
   * @example
   * export default defineConfig({ design: 'design/*.ts', lint: { rules: { 'unclear-unit': 'error' } } })
   */
  readonly lint?: LintConfig
  /**
   * Configuration of `toolgen tokens`: encoding, tool format and limits. Default: no limits.
   *
   * @example
   * export default defineConfig({ design: 'design/*.ts', tokens: { perTool: 500, perAgent: 4_000 } })
   */
  readonly tokens?: TokensConfig
}

export type RuleLevel = 'off' | 'warning' | 'error'

export interface LintConfig {
  readonly rules?: Readonly<Record<string, RuleLevel>>
  readonly vendors?: readonly Vendor[]
  /** Maximum number of warnings. More warnings make the command fail. Default: 0. */
  readonly maxWarnings?: number
}

/** Vendor of models, for the format of tool definitions. `mcp` is the format of MCP servers. */
export type Vendor = 'openai' | 'anthropic' | 'gemini' | 'mcp'

export const vendors: readonly Vendor[] = ['anthropic', 'gemini', 'mcp', 'openai']

/** Token encoding. `o200k_base` is for GPT-4o and later, `cl100k_base` is for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base'

export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base']

export interface TokensConfig {
  readonly encoding?: Encoding
  /** Format of the counted tool definitions. Default: `openai`. */
  readonly as?: Vendor
  readonly perTool?: number
  readonly perAgent?: number
}

/**
 * Returns the configuration unchanged. Editors use the parameter type to check and complete the configuration.
 *
 * @example
 * export default defineConfig({ design: 'design/**\/*.ts', output: 'src/gen' })
 */
export function defineConfig(config: ToolgenConfig): ToolgenConfig {
  return config
}

export interface ResolvedConfig {
  /** Absolute, with the path separator of the system. All other paths are relative to this folder. */
  readonly root: string
  readonly file: string
  readonly closure: readonly string[]
  readonly patterns: readonly string[]
  /** Sorted by code point. Contains at least one path. */
  readonly design: readonly string[]
  readonly output: string
  readonly importExtension: '.js' | '.ts' | ''
  readonly codecs: 'ts' | 'js'
  readonly declarations: boolean
  readonly searchIndex: boolean
  /** If absent, the built-in compiler options apply. */
  readonly tsconfig?: string
  /** Module with the tools for `toolgen call` and `toolgen serve`. */
  readonly module?: string
  readonly importMap: Readonly<Record<string, string>>
  readonly lint: LintConfig
  readonly tokens: TokensConfig
}

const moduleFile: RegExp = /(?<!\.d)\.[cm]?[jt]s$/
const deepest = 64

/** The paths in `except` and in the result are relative to `root`, with `/` as separator. */
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

export function patternToRegExp(pattern: string): RegExp {
  const source = pattern.split('/').reduce((done, segment, index, all) => {
    const last = index === all.length - 1
    if (segment === '**') return `${done}${last ? '.*' : '(?:[^/]+/)*'}`
    const name = segment.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*')
    return `${done}${name}${last ? '' : '/'}`
  }, '')
  return new RegExp(`^${source}$`)
}

export const configNames: readonly string[] = ['toolgen.config.ts', 'toolgen.config.js', 'toolgen.config.mjs']

export function findConfig(options: { readonly cwd: string; readonly path?: string }): string | undefined {
  const candidates = options.path === undefined ? configNames : [options.path]
  return candidates.map((name) => resolve(options.cwd, name)).find(isFile)
}

export function findTsconfig(folder: string): string | undefined {
  return foldersUpFrom(folder)
    .map((parent) => join(parent, 'tsconfig.json'))
    .find((file) => existsSync(file))
}
