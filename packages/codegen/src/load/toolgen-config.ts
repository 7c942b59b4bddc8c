import { existsSync, readdirSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { foldersUpFrom, isFile, isFolder } from '../files.js'
import { byCodePoint } from '../text.js'

/** Content of `toolgen.config.ts`. All paths are relative to that file. */
export interface ToolgenConfig {
  /** Modules of the design: files, or patterns with `*` (within a name) and `**` (any folders). */
  readonly design: string | readonly string[]
  /** Folder of the generated code inside the project. Default: `gen`. */
  readonly output?: string
  /** File extension of imports between generated files. Default: `.js`. */
  readonly importExtension?: '.js' | '.ts' | ''
  /**
   * Format of generated codecs. `'ts'`: a file `codecs.ts`. `'js'`: `codecs.js` with `codecs.d.ts`, which the compiler checks faster. If
   * you build with `tsc`, copy `codecs.js` to its `outDir` yourself. Default: `'ts'`.
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', codecs: 'js' })
   */
  readonly codecs?: 'ts' | 'js'
  /**
   * Generates `agents/<agent>/api.ts`: TypeScript declarations of the agent's tools, as models read them in code mode. Default: `true`.
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', declarations: false })
   */
  readonly declarations?: boolean
  /**
   * Generates `agents/<agent>/search-index.ts`: a search index of the agent's tools, which makes the first tool search faster. Default:
   * `false`.
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', searchIndex: true })
   */
  readonly searchIndex?: boolean
  /**
   * TypeScript configuration with which client types are read. Default: the nearest `tsconfig.json` in the project's folder or above it.
   */
  readonly tsconfig?: string
  /**
   * Module whose tools `toolgen call` calls and `toolgen serve` serves. It must export a `ServedModule` of `@toolgen/runtime/mcp` as
   * `tools` or as the default export. Default: none; the commands then need the path of a module as an argument.
   *
   * @example
   * export default defineConfig({ design: 'design/**\/*.ts', module: 'src/tools.ts' })
   */
  readonly module?: string
  /**
   * Path of the module of a service client → specifier with which generated code imports this module. Set it, for example, for a module of
   * another package in a monorepo: `{ 'design/clients.ts': '@acme/design/clients' }`. Default: none, which imports the module by its
   * relative path.
   */
  readonly importMap?: Readonly<Record<string, string>>
  /**
   * Configuration of `toolgen lint`: severity of its rules, and checked vendors. Default: every rule reports warnings, and all vendors are
   * checked.
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

/** Severity of a rule's diagnostics. `off` disables the rule. */
export type RuleLevel = 'off' | 'warning' | 'error'

/** Configuration of `toolgen lint`: severity of rules, checked vendors, and allowed warnings. */
export interface LintConfig {
  /** Rule id → severity of its diagnostics. Default: `warning` for each rule. */
  readonly rules?: Readonly<Record<string, RuleLevel>>
  /** Vendors whose limits are checked. Default: all. */
  readonly vendors?: readonly Vendor[]
  /** Maximum number of warnings with which the command succeeds. Default: 0. */
  readonly maxWarnings?: number
}

/** Vendor of models whose format of tool definitions is known. `mcp` is the format of MCP servers. */
export type Vendor = 'openai' | 'anthropic' | 'gemini' | 'mcp'

/** All vendors, sorted. */
export const vendors: readonly Vendor[] = ['anthropic', 'gemini', 'mcp', 'openai']

/** Token encoding: `o200k_base` for GPT-4o and later, `cl100k_base` for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base'

/** All encodings, the default first. */
export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base']

/** Configuration of `toolgen tokens`: encoding, tool format and limits. */
export interface TokensConfig {
  /** Encoding with which tokens are counted. Default: `o200k_base`. */
  readonly encoding?: Encoding
  /** Format of the counted tool definitions. Default: `openai`. */
  readonly as?: Vendor
  /** Maximum number of tokens per tool definition. Default: no limit. */
  readonly perTool?: number
  /** Maximum number of tokens of all tool definitions of an agent. Default: no limit. */
  readonly perAgent?: number
}

/**
 * Returns the configuration unchanged. The parameter type lets the editor check and complete the configuration.
 *
 * @example
 * export default defineConfig({ design: 'design/**\/*.ts', output: 'src/gen' })
 */
export function defineConfig(config: ToolgenConfig): ToolgenConfig {
  return config
}

/** A validated configuration with its defaults. */
export interface ResolvedConfig {
  /** Absolute path of the configuration's folder, with the separators of the system. All other paths are relative to this folder. */
  readonly root: string
  /** Path of the configuration file. */
  readonly file: string
  /** Files that were read to evaluate the configuration, sorted. */
  readonly closure: readonly string[]
  /** Design paths and patterns as configured, relative to the root. */
  readonly patterns: readonly string[]
  /** Design modules, sorted by code point; at least one. */
  readonly design: readonly string[]
  readonly output: string
  readonly importExtension: '.js' | '.ts' | ''
  readonly codecs: 'ts' | 'js'
  readonly declarations: boolean
  readonly searchIndex: boolean
  /** Path of the TypeScript configuration. Absent if there is no `tsconfig.json`; the built-in compiler options then apply. */
  readonly tsconfig?: string
  /** Path of the module whose tools are called and served; absent if not configured. */
  readonly module?: string
  readonly importMap: Readonly<Record<string, string>>
  readonly lint: LintConfig
  readonly tokens: TokensConfig
}

const moduleFile: RegExp = /(?<!\.d)\.[cm]?[jt]s$/
const deepest = 64

/**
 * Returns the module files that match a pattern, as paths relative to the root with `/`, sorted by code point. `*` matches any part of a
 * name, `**` any folders. Ignores `node_modules`, folders whose names begin with a dot, and the folder `except`.
 *
 * @param except path relative to the root
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

/** Converts a pattern such as `a/**\/b*.ts` to a regular expression for whole paths. */
export function patternToRegExp(pattern: string): RegExp {
  const source = pattern.split('/').reduce((done, segment, index, all) => {
    const last = index === all.length - 1
    if (segment === '**') return `${done}${last ? '.*' : '(?:[^/]+/)*'}`
    const name = segment.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*')
    return `${done}${name}${last ? '' : '/'}`
  }, '')
  return new RegExp(`^${source}$`)
}

/** File names of the configuration, in search order. */
export const configNames: readonly string[] = ['toolgen.config.ts', 'toolgen.config.js', 'toolgen.config.mjs']

/**
 * Returns the absolute path of the configuration file: of `path`, by default of the first file of {@link configNames} in `cwd`. Returns
 * `undefined` if the file does not exist.
 */
export function findConfig(options: { readonly cwd: string; readonly path?: string }): string | undefined {
  const candidates = options.path === undefined ? configNames : [options.path]
  return candidates.map((name) => resolve(options.cwd, name)).find(isFile)
}

/** Returns the nearest `tsconfig.json` in the folder or above it; `undefined` if not found. */
export function findTsconfig(folder: string): string | undefined {
  return foldersUpFrom(folder)
    .map((parent) => join(parent, 'tsconfig.json'))
    .find((file) => existsSync(file))
}
