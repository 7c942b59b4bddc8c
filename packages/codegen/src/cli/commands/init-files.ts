import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { foldersUpFrom, isFile, relativePath } from '../../files.js'
import { assignNames } from '../../ir/names.js'
import { reservedNames } from '../../ir/reserved-names.js'
import { patternToRegExp } from '../../load/toolgen-config.js'
import type { EmittedFile } from '../../output/files.js'

/**
 * Returns the example: a toolset, its client, an agent that uses both, their configuration, a service and a program that
 * calls it through the generated code. Their texts are in `templates/init`, with names as `__name__`.
 */
export function exampleFiles(names: ProjectNames): readonly EmittedFile[] {
  const { designFolder, outputFolder, toolsetFile, agentFile } = names
  const words: Readonly<Record<string, string>> = {
    ...names,
    clientModule: importPath(designFolder, `src/${toolsetFile}-client.js`),
    agentModule: importPath('src', `${outputFolder}/agents/${agentFile}/index.js`),
    toolsetModule: importPath('src', `${outputFolder}/toolsets/${toolsetFile}/index.js`),
  }
  const file = (path: string, template: string): EmittedFile => {
    const text = readFileSync(new URL(`../../../templates/init/${template}.txt`, import.meta.url), 'utf8')
    return {
      path,
      text: text.replaceAll('\r\n', '\n').replace(/__(\w+?)__/g, (_, name: string) => words[name] ?? name),
    }
  }
  return [
    file('toolgen.config.ts', 'config'),
    file(`${designFolder}/${toolsetFile}.ts`, 'toolset'),
    file(`${designFolder}/clients.ts`, 'clients'),
    file(`${designFolder}/${agentFile}.agent.ts`, 'agent'),
    file(`src/${toolsetFile}-client.ts`, 'client'),
    file('src/main.ts', 'main'),
  ]
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

/** Checks whether a name can be that of an example toolset or agent: it becomes a constant of the example's modules. */
export function isExampleName(name: string): boolean {
  return /^[a-z][A-Za-z0-9]{0,39}$/.test(name) && !reservedNames.has(name) && !taken.includes(name)
}

/** Other names that the example's modules declare or import. */
const taken: readonly string[] = [
  'answer callTools cheapest clients console defineAgent defineConfig defineTool defineToolset findItems found fromService getItem item',
  'missing newFindItemsCall newGetItemCall outcomes planner renderForModel run serviceClient z',
].flatMap((line) => line.split(' '))

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

type Packages = Readonly<Record<string, string>>

/** The packages that the example needs. */
export interface Dependencies {
  readonly dependencies: Packages
  readonly devDependencies: Packages
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
    { path: 'package.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
    { path: 'tsconfig.json', text: `${JSON.stringify(compiler, null, 2)}\n` },
    { path: '.gitignore', text: 'node_modules\ndist\n' },
  ]
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
