import { posix } from 'node:path'
import { elementAt } from '../defined.js'
import { type Diagnostic, errorAt, note, type SourceLocation, startOf, warning } from '../diagnostics/diagnostic.js'
import { block, entry } from '../emit/layout.js'
import { assignNames } from '../ir/names.js'
import { importedToolNames } from '../ir/tool-names.js'
import { impossiblePart, isObjectPayload } from '../schema/impossible-part.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { accessText, docComment, flatLiteral, keyText, stringText } from '../text.js'
import { importNames, writtenModule } from './imported-files.js'
import { toolListChanges } from './tool-list-changes.js'
import { noValueFits } from './tool-schemas.js'
import { renamed, type Side, type ToolSource, undescribed, unusableSide } from './tool-source.js'
import { noImport, type ToolsetImport } from './toolset-module.js'

/** Frameworks whose tools can be imported, with the properties of a tool that hold its schemas. */
const frameworks = {
  'ai-sdk': { title: 'the AI SDK', executor: 'aiSdkExecutor', payload: 'inputSchema', result: 'outputSchema' },
  langchain: { title: 'LangChain', executor: 'langChainExecutor', payload: 'schema', result: undefined },
  'openai-agents': {
    title: 'the OpenAI Agents SDK',
    executor: 'openAiAgentsExecutor',
    payload: 'parameters',
    result: 'outputSchema',
  },
} as const

type Framework = keyof typeof frameworks

const source: ToolSource = {
  subject: 'The module',
  fix: 'Change the tool in the module, and import again',
  rename: 'fromExecutor(toolset, { rename: { tool: "name" } })',
}

/** A module whose tools are imported. */
export interface ToolModule {
  readonly exports: ReadonlyMap<string, unknown>
  /** Path relative to the folder in which the command works, with `/`. */
  readonly file: string
  /** The folder of the design, relative to the same folder, with `/`. */
  readonly folder: string
  /** Text of the module that an earlier import wrote. */
  readonly earlier?: string
}

/** A tool of a framework, at one of its exports. */
interface FoundTool {
  readonly framework: Framework
  readonly value: Readonly<Record<string, unknown>>
  /** Name for models in the framework. */
  readonly name: string
  /** Name of the export, and for a tool in a record or an array its key. */
  readonly path: readonly [name: string, key?: string]
  /** The tool as code, where `source` is the module. */
  readonly code: string
  readonly isInArray: boolean
}

/** Creates a toolset of existing tools. Its module refers to their descriptions and schemas, so that it never gets outdated. */
export async function importModule(toolset: string, module: ToolModule): Promise<ToolsetImport> {
  const { file, exports, earlier } = module
  const at = startOf(file)
  const diagnostics: Diagnostic[] = []
  const tools = distinct(findTools(exports, diagnostics)).filter((tool) => isUsable(tool, diagnostics))
  const [first] = tools
  if (first === undefined) {
    const exported = [...exports].map(([name, value]) => `\`${name}\` (${kindOf(value)})`).join(', ')
    const message = `\`${file}\` exports no tool that can be imported. It exports ${exported || 'nothing'}.`
    const next =
      'Export tools of the AI SDK, LangChain or the OpenAI Agents SDK: `export const tools = { getOrder: tool({ ... }) }`.'
    return noImport([...diagnostics, errorAt(at, 'TG6026', message, next)])
  }
  const errors = conflicts(tools, at)
  if (errors.length > 0) return noImport([...diagnostics, ...errors])
  const { result } = frameworks[first.framework]
  const open = tools.filter(({ value }) => result === undefined || value[result] === undefined)
  if (open.length > 0) diagnostics.push(openResults(open, result))
  const client = tools.filter(({ framework, value }) => framework === 'ai-sdk' && value.execute === undefined)
  if (client.length > 0) {
    const message = `${namesOf(client)} ${client.length === 1 ? 'has' : 'have'} no \`execute\`, so that their calls fail.`
    const next = 'Give them an `execute`, or leave them out with `only` where an agent uses the toolset.'
    diagnostics.push(note('TG6030', message, next))
  }
  const toolNames = importedToolNames(tools.map(({ name }) => name))
  const written: string[] = []
  for (const [index, tool] of tools.entries()) {
    const { toolName } = elementAt(toolNames, index)
    if (toolName !== tool.name) diagnostics.push(renamed(source, tool.name, tool.name, toolName))
    written.push(await toolText(tool, toolName, diagnostics))
  }
  const before = earlier === undefined ? undefined : [...earlier.matchAll(toolKey)].map(([, key = '']) => listed(key))
  const register = registration(toolset, tools, exports)
  return {
    files: [
      { path: importNames('module', toolset).module, text: moduleText(toolset, module, written, tools, register) },
    ],
    tools: tools.length,
    described: tools.length - open.length,
    changes: toolListChanges(
      before,
      tools.map(({ name }) => listed(keyText(name))),
    ),
    diagnostics,
    next: `run \`toolgen generate\`${earlier === undefined ? `, then register the agent: \`${register}\`` : ''}`,
  }
}

const toolKey = /^ {4}(\S.*): defineTool\(\{$/gm

function listed(key: string) {
  return { name: key, raw: null }
}

function namesOf(tools: readonly FoundTool[]): string {
  return tools.map(({ name }) => `\`${name}\``).join(', ')
}

function openResults(tools: readonly FoundTool[], property: string | undefined): Diagnostic {
  const message = `The results of ${namesOf(tools)} can be any JSON, because no schema describes them.`
  if (property === undefined)
    return note('TG6029', message, 'Nothing: tools of LangChain have no schema of the result.')
  return note('TG6029', message, `Give the tools an \`${property}\`, and run \`toolgen generate\`.`)
}

/** Finds the tools among the exports, and in exported records and arrays. */
function findTools(exports: ReadonlyMap<string, unknown>, diagnostics: Diagnostic[]): readonly FoundTool[] {
  const read = (value: unknown, path: FoundTool['path'], code: string, isInArray: boolean): readonly FoundTool[] => {
    const framework = frameworkOf(value)
    if (framework === undefined || !isFields(value)) return []
    const shown = `\`${path.join('.')}\``
    const payload = framework === 'provider' ? undefined : value[frameworks[framework].payload]
    if (framework === 'provider' || payload === undefined) {
      const why = framework === 'provider' ? 'its provider runs it' : 'it has no schema of its arguments'
      const next =
        framework === 'provider' ? 'Nothing.' : `Give it \`${frameworks[framework].payload}\`, and import again.`
      diagnostics.push(warning('TG6027', `${shown} is skipped, because ${why}.`, next))
      return []
    }
    const name = framework === 'ai-sdk' ? (path[1] ?? path[0]) : String(value.name)
    return [{ framework, value, name, path, code: isInArray ? `named(${code}, ${stringText(name)})` : code, isInArray }]
  }
  return [...exports].flatMap(([name, value]) => {
    const code = `source${accessText(name)}`
    const own = read(value, [name], code, false)
    if (own.length > 0 || !isContainer(value) || frameworkOf(value) !== undefined) return own
    const isArray = Array.isArray(value)
    return Object.entries(value).flatMap(([key, each]) =>
      read(each, [name, key], isArray ? code : `${code}${accessText(key)}`, isArray),
    )
  })
}

/** Keeps one occurrence of each tool: in a record, else as an export, else in an array. */
function distinct(found: readonly FoundTool[]): readonly FoundTool[] {
  const rank = ({ path, isInArray }: FoundTool): number => (isInArray ? 2 : path[1] === undefined ? 1 : 0)
  const best = new Map<object, FoundTool>()
  for (const tool of found) {
    const known = best.get(tool.value)
    if (known === undefined || rank(tool) < rank(known)) best.set(tool.value, tool)
  }
  return [...best.values()]
}

function frameworkOf(value: unknown): Framework | 'provider' | undefined {
  if (!isFields(value)) return undefined
  if (value.type === 'provider' || value.type === 'hosted_tool') return 'provider'
  if (typeof value.invoke === 'function') {
    if (value.type === 'function') return 'openai-agents'
    return Array.isArray(value.lc_namespace) && 'schema' in value ? 'langchain' : undefined
  }
  return 'inputSchema' in value || typeof value.execute === 'function' ? 'ai-sdk' : undefined
}

/** Reports a tool whose arguments no design can have. */
function isUsable(tool: FoundTool, diagnostics: Diagnostic[]): boolean {
  const why = schemaProblem(tool.value[frameworks[tool.framework].payload], 'arguments')
  if (why !== undefined) diagnostics.push(unusableSide('arguments', source, tool.name, why))
  return why === undefined
}

function schemaProblem(schema: unknown, side: Side): string | undefined {
  const { value, diagnostics } = toJsonSchema(schema, { io: side === 'arguments' ? 'input' : 'output', hint: 'Root' })
  if (value === undefined)
    return diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'it cannot be read'
  const defs = Object.fromEntries(value.defs)
  if (side === 'arguments' && !isObjectPayload(value.root, defs)) return 'it allows more than objects'
  const impossible = impossiblePart(value.root, defs)
  return impossible && noValueFits(impossible)
}

/** Returns the errors of tools that one executor cannot run. */
function conflicts(tools: readonly FoundTool[], at: SourceLocation): readonly Diagnostic[] {
  const used = [...new Set(tools.map(({ framework }) => frameworks[framework].title))]
  const mixed = `The module has tools of ${used.join(' and ')}.`
  const twice = tools.flatMap((tool, index) => {
    const other = tools.slice(0, index).find(({ name }) => name === tool.name)
    if (other === undefined) return []
    const [one, two] = [other, tool].map(({ path }) => `\`${path.join('.')}\``)
    return [`${one} and ${two} are different tools with the name \`${tool.name}\`.`]
  })
  return [
    ...(used.length < 2 ? [] : [errorAt(at, 'TG6028', mixed, 'Move the tools of each to a module of its own.')]),
    ...twice.map((message) => errorAt(at, 'TG6028', message, 'Rename one of them, or move it to another module.')),
  ]
}

/** Returns a tool as code. */
async function toolText(tool: FoundTool, toolName: string, diagnostics: Diagnostic[]): Promise<string> {
  const { framework, value, name, code } = tool
  const { payload, result } = frameworks[framework]
  const resultProblem = result && value[result] !== undefined ? schemaProblem(value[result], 'result') : undefined
  if (resultProblem !== undefined) diagnostics.push(unusableSide('result', source, name, resultProblem))
  const isDescribed = typeof value.description === 'string' && value.description.trim() !== ''
  if (!isDescribed) diagnostics.push(undescribed(source, name))
  const fallback = framework === 'ai-sdk' ? ` ?? ${stringText(name)}` : ''
  const entries = [
    `description: ${isDescribed ? `${code}.description${fallback}` : stringText(name)}`,
    ...(typeof value.title === 'string' ? [`title: ${code}.title ?? ${stringText(name)}`] : []),
    entry('toolName', toolName, 6),
    `payload: ${code}.${payload}`,
    `result: ${result === undefined || resultProblem !== undefined ? 'true' : `${code}.${result} ?? true`}`,
    ...((await needsApproval(value)) ? [`confirmation: { prompt: ${stringText(`Run \`${name}\`?`)} }`] : []),
  ]
  return `${keyText(name)}: defineTool(${block(entries, 4)})`
}

/** Returns whether a tool may need approval. A function that cannot answer without a call counts as `true`. */
async function needsApproval({ type, needsApproval }: FoundTool['value']): Promise<boolean> {
  if (typeof needsApproval !== 'function') return needsApproval === true
  // The OpenAI Agents SDK turns constants into functions.
  if (type !== 'function') return true
  try {
    return (await needsApproval({ context: {} }, {})) === true
  } catch {
    return true
  }
}

/** Returns the argument of the executor: the export that has all tools, else a list of them. */
function argumentText(tools: readonly FoundTool[], exports: ReadonlyMap<string, unknown>): string {
  const [first] = tools
  const isRecord = first?.framework === 'ai-sdk'
  const whole = [...exports].find(([, value]) => {
    if (!isContainer(value) || Array.isArray(value) === isRecord) return false
    const inside = new Set<unknown>(Object.values(value))
    return tools.every((tool) => inside.has(tool.value))
  })
  if (whole !== undefined) return whole[0] === 'default' ? 'tools' : whole[0]
  const parts = tools.map(({ path: [name, key] }) => (key === undefined ? name : `${name}${accessText(key)}`))
  if (!isRecord) return `[${parts.join(', ')}]`
  return `{ ${tools.map(({ name }, index) => (parts[index] === name ? name : `${keyText(name)}: ${parts[index]}`)).join(', ')} }`
}

/** Returns the code that registers the agent of the toolset. */
function registration(toolset: string, tools: readonly FoundTool[], exports: ToolModule['exports']): string {
  const { agents } = assignNames({ toolsets: [], agents: [{ name: toolset, uses: [], exports: [] }] })
  const executor = `${executorOf(tools)}(${argumentText(tools, exports)})`
  const binding = `{ toolsets: { ${keyText(toolset)}: { executor: ${executor} } } }`
  return `${elementAt(agents, 0).names.register}(new Runtime(), ${binding})`
}

function executorOf(tools: readonly FoundTool[]): string {
  return frameworks[elementAt(tools, 0).framework].executor
}

function moduleText(
  toolset: string,
  { file, folder, earlier }: ToolModule,
  written: readonly string[],
  tools: readonly FoundTool[],
  register: string,
): string {
  const { constant } = importNames('module', toolset)
  const path = posix.relative(folder, file)
  const specifier = (path.startsWith('.') ? path : `./${path}`).replace(/\.([cm]?)tsx?$/, '.$1js')
  const description = `Tools of ${file}.`
  const hasAgent = earlier === undefined || earlier.includes('= defineAgent(')
  const parts = [entry('description', description, 2), `tools: ${block(written, 2)}`]
  const agentParts = [entry('description', `Uses the tools of ${file}.`, 2), `uses: [fromExecutor(${constant})]`]
  const named = `
function named<Tool extends { readonly name: string }>(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (found === undefined) throw new Error(\`There is no tool "\${name}" any more: import the module again\`)
  return found
}
`
  const agent = `
// Register it with its executor:
// import { ${executorOf(tools)} } from '@toolgen/runtime/${elementAt(tools, 0).framework}'
// ${register}
export const ${constant}Agent = defineAgent(${flatLiteral(toolset)}, ${block(agentParts, 0)})
`
  const words = [
    ...(hasAgent ? ['defineAgent'] : []),
    'defineTool',
    'defineToolset',
    ...(hasAgent ? ['fromExecutor'] : []),
  ]
  const body = `
import { ${words.join(', ')} } from '@toolgen/dsl'
import * as source from ${stringText(specifier)}

${docComment(description)}
export const ${constant} = defineToolset(${flatLiteral(toolset)}, ${block(parts, 0)})
${hasAgent ? agent : ''}${tools.some(({ isInArray }) => isInArray) ? named : ''}`
  return writtenModule('module', `${toolset} ${file}`, body)
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isContainer(value: unknown): value is object {
  return Array.isArray(value) || (isFields(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value)))
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`
}
