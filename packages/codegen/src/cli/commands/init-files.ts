import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { foldersUpFrom, isFile, isFolder, relativePath } from '../../files.js'
import { assignNames } from '../../ir/names.js'
import { reservedNames } from '../../ir/reserved-names.js'
import { patternToRegExp } from '../../load/toolgen-config.js'
import type { EmittedFile } from '../../output/files.js'
import { byCodePoint, flatLiteral, shellWord } from '../../text.js'
import type { SourceKind } from '../context.js'
import { filled, ownFolder, templateText } from '../format.js'

/** The source of a new project. Without `own`, the project has an example of it. */
export interface ProjectSource {
  readonly kind: SourceKind
  /** Command of an MCP server, or the path or URL of an OpenAPI document. */
  readonly own?: readonly string[]
}

/**
 * Returns the files of a new project. Their texts are in folders of `templates/init`; `__name__` in a path or a text stands for
 * a value.
 *
 * @param toolgen the range for toolgen's own packages
 */
export function projectFiles(
  { kind, own }: ProjectSource,
  names: ProjectNames,
  toolgen: string,
): readonly EmittedFile[] {
  const { designFolder, outputFolder, toolsetFile, agentFile } = names
  const [program = '', ...args] = own ?? []
  const words: Readonly<Record<string, string>> = {
    ...names,
    dot: '.',
    version: toolgen,
    into: designFolder === 'design' ? '' : ` --dir ${designFolder}`,
    clientModule: importPath(designFolder, `src/${toolsetFile}-client.js`),
    agentModule: importPath('src', `${outputFolder}/agents/${agentFile}/index.js`),
    toolsetModule: importPath('src', `${outputFolder}/toolsets/${toolsetFile}/index.js`),
    command: own?.map(shellWord).join(' ') ?? 'node server/notes.mjs',
    caller: flatLiteral({ command: program, args }),
    document: shellWord(program || 'openapi.yaml'),
  }
  const folders = ['common', kind, `${kind}-${own === undefined ? 'example' : 'own'}`]
  const files = folders.flatMap(templatesOf).map((template) => {
    const [, ...path] = template.replace(/\.txt$/, '').split('/')
    const isJson = template.endsWith('.json.txt')
    const inJson = Object.entries(words).map(([name, word]) => [name, JSON.stringify(word).slice(1, -1)])
    const text = templateText(`init/${template}`, isJson ? Object.fromEntries(inJson) : words)
    return { path: filled(path.join('/'), words), text }
  })
  return files.sort((a, b) => byCodePoint(a.path, b.path))
}

/** Returns the paths of the files of a folder, below `templates/init`. */
function templatesOf(folder: string): readonly string[] {
  const root = join(ownFolder(), 'templates/init')
  if (!isFolder(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relativePath(root, join(entry.parentPath, entry.name)))
}

/** The names from which the files of a new project are made. */
export interface ProjectNames {
  /** As the user gave it, e.g. `orders`. */
  readonly toolset: string
  readonly agent: string
  /** Folders below the project, with `/`. */
  readonly designFolder: string
  readonly outputFolder: string
  /** `orders`: the stem of files and the folder in the output. */
  readonly toolsetFile: string
  readonly agentFile: string
  /** `OrdersClient` */
  readonly clientClass: string
  /** `ordersClient` */
  readonly client: string
  /** `registerSupport` */
  readonly register: string
}

/**
 * Checks whether a name can be that of the toolset or the agent: it becomes a constant of the project's modules.
 *
 * @param taken other names of these modules, separated by spaces
 */
export function isExampleName(name: string, taken: string): boolean {
  return /^[a-z][A-Za-z0-9]{0,39}$/.test(name) && !reservedNames.has(name) && !taken.split(' ').includes(name)
}

/** Derives every name of a new project, with the generator's own rules for what it will generate. */
export function projectNames(
  chosen: Pick<ProjectNames, 'toolset' | 'agent' | 'designFolder' | 'outputFolder'>,
): ProjectNames {
  const { toolsets, agents } = assignNames({
    toolsets: [{ name: chosen.toolset, tools: [], defs: [] }],
    agents: [{ name: chosen.agent, uses: [], exports: [] }],
  })
  const [toolset] = toolsets
  const [agent] = agents
  if (toolset === undefined || agent === undefined) throw new Error('Naming lost a toolset or an agent.')
  const stem = `${chosen.toolset.charAt(0).toUpperCase()}${chosen.toolset.slice(1)}`
  return {
    ...chosen,
    toolsetFile: toolset.names.folder,
    agentFile: agent.names.folder,
    clientClass: `${stem}Client`,
    client: `${chosen.toolset}Client`,
    register: agent.names.register,
  }
}

/** Returns the path by which a module in a folder of the project imports another one, both relative to its root. */
function importPath(folder: string, module: string): string {
  const path = posix.relative(folder, module)
  return path.startsWith('.') ? path : `./${path}`
}

/** The needs of a new project, as its package.json has them. */
export interface Needed {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  /** Command that imports the tools; `undefined` if the project has nothing to import. */
  readonly importCommand: string | undefined
}

/** The pnpm workspace of a new project. */
export interface PnpmWorkspace {
  /** The file with its list of packages: absolute. */
  readonly file: string
  /** True if the packages of toolgen belong to it, so that only `workspace:*` finds them. */
  readonly hasToolgen: boolean
  /** True if its list of packages includes the new project. */
  readonly hasProject: boolean
}

/**
 * Returns the nearest `pnpm-workspace.yaml` above a folder, which need not exist yet.
 *
 * @param ownPackage the folder of the generator that runs: absolute, links followed
 */
export function findPnpmWorkspace(project: string, ownPackage: string): PnpmWorkspace | undefined {
  const file = foldersUpFrom(project)
    .map((folder) => join(folder, 'pnpm-workspace.yaml'))
    .find(isFile)
  if (file === undefined) return undefined
  const patterns = packagePatterns(readFileSync(file, 'utf8'))
  const has = (folder: string): boolean => isMember(relativePath(dirname(file), folder), patterns)
  return { file, hasToolgen: has(ownPackage), hasProject: has(project) }
}

/** The root always belongs to its workspace. */
function isMember(path: string, patterns: readonly string[]): boolean {
  const matches = (pattern: string): boolean => patternToRegExp(pattern.replace(/^\.\/|\/$/g, '')).test(path)
  if (patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1)))) return false
  return path === '' || patterns.some((pattern) => !pattern.startsWith('!') && matches(pattern))
}

/** Returns the entries of `packages`, written as a block or in brackets. */
function packagePatterns(yaml: string): readonly string[] {
  const [, flow, block = ''] =
    /^packages:[ \t]*(?:\[([^\]]*)\]|(?:#.*)?\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*))/m.exec(yaml) ?? []
  const entries =
    flow === undefined ? [...block.matchAll(/^[ \t]*-[ \t]+(.*)$/gm)].map(([, entry = '']) => entry) : flow.split(',')
  const plain = entries.map((entry) => entry.trim().replace(/\s+#.*$/, ''))
  return plain.map((entry) => entry.replace(/^(['"])(.*)\1$/, '$2')).filter(Boolean)
}
