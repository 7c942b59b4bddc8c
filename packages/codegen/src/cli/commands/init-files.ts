import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { foldersUpFrom, isFile, isFolder, ownPath, relativePath } from '../../files.js'
import { type OriginHeaders, reference } from '../../imports/origin.js'
import { assignNames } from '../../ir/names.js'
import { reservedNames } from '../../ir/reserved-names.js'
import { patternToRegExp } from '../../load/toolgen-config.js'
import type { EmittedFile } from '../../output/files.js'
import { byCodePoint, keyText, shellWord, stringText } from '../../text.js'
import { type SourceKind, urlIn } from '../context.js'
import { filled, templateText } from '../format.js'

export interface ProjectSource {
  readonly kind: SourceKind
  /** Command or URL of the user's MCP server, or path or URL of the user's OpenAPI document. */
  readonly own?: readonly string[]
  /** Headers of the requests to the user's MCP server. */
  readonly headers?: OriginHeaders
  readonly isAddressUnknown?: boolean
}

/** `toolgen` is the version range for the toolgen packages. */
export function projectFiles(
  { kind, own, headers = {}, isAddressUnknown = false }: ProjectSource,
  names: ProjectNames,
  toolgen: string,
): readonly EmittedFile[] {
  const { designFolder, outputFolder, toolsetFile, agentFile } = names
  const [program = '', ...args] = own ?? []
  const url = urlIn(own ?? [])
  const sent = Object.entries(headers)
  const headerOptions = sent.map(([name, value]) => ` --header ${shellWord(`${name}: ${value}`)}`).join('')
  const sentText = sent.map(([name, value]) => `${keyText(name)}: ${filledText(value)}`).join(', ')
  const caller =
    url === undefined
      ? `{ command: ${filledText(program)}, args: [${args.map(filledText).join(', ')}] }`
      : `{ url: ${filledText(url)}${sentText === '' ? '' : `, headers: { ${sentText} }`} }`
  const hasReference = [...(own ?? []), ...Object.values(headers)].some((text) => text.split(reference).length > 1)
  const words: Readonly<Record<string, string>> = {
    ...names,
    dot: '.',
    version: toolgen,
    into: designFolder === 'design' ? '' : ` --dir ${designFolder}`,
    clientModule: importPath(designFolder, `src/${toolsetFile}-client.js`),
    agentModule: importPath('src', `${outputFolder}/agents/${agentFile}/index.js`),
    toolsetModule: importPath('src', `${outputFolder}/toolsets/${toolsetFile}/index.js`),
    server:
      url === undefined
        ? `-- ${own?.map(shellWord).join(' ') ?? 'node server/notes.mjs'}`
        : `--url ${shellWord(url)}${headerOptions}`,
    connect: url === undefined ? 'stdioCaller' : 'httpCaller',
    caller,
    variable: hasReference ? VARIABLE : '',
    callerNote:
      url === undefined
        ? 'The server receives only some of your environment variables, such as `PATH`. Add others that it needs: `env: { API_KEY: process.env.API_KEY }`.'
        : sentText !== ''
          ? 'The program needs the same environment variables as the script `import` of package.json.'
          : 'Add `headers` for credentials: `headers: { authorization: `Bearer ${process.env.TOKEN}` }`.',
    document: shellWord(program || 'openapi.yaml'),
    binding: isAddressUnknown ? "{ baseUrl: 'https://api.example.com' }" : '{}',
    bindingNote: isAddressUnknown
      ? 'Replace `baseUrl` with the URL of your API, because the document has no absolute URL of a server. Add `auth` for credentials, and `headers`.'
      : 'Add `auth` for credentials, `headers`, and `baseUrl` if the document has no URL of a server.',
    callNote: isAddressUnknown
      ? "    console.error('If `baseUrl` in src/serve.ts is still https://api.example.com, replace it with the URL of your API.')\n    console.error('For status 401 or 403, set `auth` in src/serve.ts.')\n"
      : '',
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

/** An import replaces `${NAME}` by an environment variable; the program must do the same with `VARIABLE`. */
function filledText(text: string): string {
  const [literal = '', ...rest] = text.split(reference)
  if (rest.length === 0) return stringText(literal)
  const parts = [literal, ...rest].map((part, index) =>
    index % 2 === 1 ? `\${variable('${part}')}` : part.replace(/[\\`]|\$(?=\{)/g, '\\$&'),
  )
  return `\`${parts.join('')}\``
}

const VARIABLE = `
function variable(name: string): string {
  const value = process.env[name]?.trim()
  if (!value) throw new Error(\`The environment variable \${name} is not set.\`)
  return value
}
`

function templatesOf(folder: string): readonly string[] {
  const root = ownPath('templates/init')
  if (!isFolder(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relativePath(root, join(entry.parentPath, entry.name)))
}

export interface ProjectNames {
  readonly toolset: string
  readonly agent: string
  /** Relative to the project folder, with `/` as separator. */
  readonly designFolder: string
  readonly outputFolder: string
  readonly toolsetFile: string
  readonly agentFile: string
  readonly clientClass: string
  readonly client: string
  readonly register: string
}

export function isExampleName(name: string, taken: string): boolean {
  return /^[a-z][A-Za-z0-9]{0,39}$/.test(name) && !reservedNames.has(name) && !taken.split(' ').includes(name)
}

export function projectNames(
  chosen: Pick<ProjectNames, 'toolset' | 'agent' | 'designFolder' | 'outputFolder'>,
): ProjectNames {
  const { toolsets, agents } = assignNames({
    toolsets: [{ name: chosen.toolset, tools: [], defs: {} }],
    agents: [{ name: chosen.agent, uses: [], exports: [] }],
  })
  const [toolset] = toolsets
  const [agent] = agents
  if (toolset === undefined || agent === undefined)
    throw new Error('Internal error: the toolset or the agent has no generated names.')
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

function importPath(folder: string, module: string): string {
  const path = posix.relative(folder, module)
  return path.startsWith('.') ? path : `./${path}`
}

export interface Needed {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly importCommand: string | undefined
}

export interface PnpmWorkspace {
  readonly file: string
  /** Projects of a workspace with the toolgen packages need the version `workspace:*`. */
  readonly hasToolgen: boolean
  readonly hasProject: boolean
}

export function findPnpmWorkspace(project: string, ownPackage: string): PnpmWorkspace | undefined {
  const file = foldersUpFrom(project)
    .map((folder) => join(folder, 'pnpm-workspace.yaml'))
    .find(isFile)
  if (file === undefined) return undefined
  const patterns = packagePatterns(readFileSync(file, 'utf8'))
  const has = (folder: string): boolean => isMember(relativePath(dirname(file), folder), patterns)
  return { file, hasToolgen: has(ownPackage), hasProject: has(project) }
}

function isMember(path: string, patterns: readonly string[]): boolean {
  const matches = (pattern: string): boolean => patternToRegExp(pattern.replace(/^\.\/|\/$/g, '')).test(path)
  if (patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1)))) return false
  // pnpm always includes the root of the workspace.
  return path === '' || patterns.some((pattern) => !pattern.startsWith('!') && matches(pattern))
}

function packagePatterns(yaml: string): readonly string[] {
  const [, flow, block = ''] =
    /^packages:[ \t]*(?:\[([^\]]*)\]|(?:#.*)?\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*))/m.exec(yaml) ?? []
  const entries =
    flow === undefined ? [...block.matchAll(/^[ \t]*-[ \t]+(.*)$/gm)].map(([, entry = '']) => entry) : flow.split(',')
  const plain = entries.map((entry) => entry.trim().replace(/\s+#.*$/, ''))
  return plain.map((entry) => entry.replace(/^(['"])(.*)\1$/, '$2')).filter(Boolean)
}
