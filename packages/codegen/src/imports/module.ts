import { posix } from 'node:path'
import { elementAt, isFields } from '../defined.js'
import { type Diagnostic, errorAt, note, type SourceLocation, startOf, warning } from '../diagnostics/diagnostic.js'
import { block, entry } from '../emit/layout.js'
import { assignNames } from '../ir/names.js'
import { importedToolNames } from '../ir/tool-names.js'
import { impossiblePart, isObjectPayload } from '../schema/impossible-part.js'
import { isFixedByMapper } from '../schema/libraries/library.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { accessText, docComment, flatLiteral, keyText, stringText } from '../text.js'
import { importNames, writtenModule } from './imported-files.js'
import { toolListChanges } from './tool-list-changes.js'
import { noValueFits } from './tool-schemas.js'
import { renamed, type Side, type ToolSource, undescribed, unusableSide } from './tool-source.js'
import { noImport, type ToolsetImport } from './toolset-module.js'

const frameworks = {
  'ai-sdk': { title: 'the AI SDK', executor: 'aiSdkExecutor', payload: 'inputSchema' },
  langchain: { title: 'LangChain', executor: 'langChainExecutor', payload: 'schema' },
  'openai-agents': { title: 'the OpenAI Agents SDK', executor: 'openAiAgentsExecutor', payload: 'parameters' },
} as const

type Framework = keyof typeof frameworks

const source: ToolSource = {
  subject: 'The module',
  fix: 'Change the tool in the module and import again',
  rename: 'fromExecutor(toolset, { rename: { tool: "name" } })',
}

export interface ToolModule {
  readonly exports: ReadonlyMap<string, unknown>
  /** Relative to the current folder of the command, with `/` as separator. */
  readonly file: string
  /** Relative to the current folder of the command, with `/` as separator. */
  readonly folder: string
  readonly hasAgent: boolean
  isMentioned?(code: string): boolean
  readonly earlier?: string
}

interface FoundTool {
  readonly framework: Framework
  readonly value: Readonly<Record<string, unknown>>
  readonly name: string
  readonly path: readonly [name: string, key?: string]
  /** Expression in the written module, such as `source.getOrder`. */
  readonly code: string
  readonly isInArray: boolean
}

/** The module imports the tools instead of copying their descriptions and schemas, so the toolset is always up to date. */
export async function importModule(toolset: string, module: ToolModule): Promise<ToolsetImport> {
  const { file, exports, earlier } = module
  const at = startOf(file)
  const diagnostics: Diagnostic[] = []
  const tools = distinct(findTools(exports, diagnostics)).filter((tool) =>
    isUsable(tool, frameworks[tool.framework].payload, 'arguments', diagnostics),
  )
  const [first] = tools
  if (first === undefined) {
    const exported = [...exports]
      .map(([name, value]) => `\`${name}\` (${Array.isArray(value) ? 'array' : typeof value})`)
      .join(', ')
    const message = `\`${file}\` exports no tool that can be imported. It exports ${exported || 'nothing'}.`
    const next =
      'Export tools of the AI SDK, LangChain or the OpenAI Agents SDK: `export const tools = { getOrder: tool({ ... }) }`.'
    return noImport([...diagnostics, errorAt(at, 'TG6026', message, next)])
  }
  const errors = conflicts(tools, at)
  if (errors.length > 0) return noImport([...diagnostics, ...errors])
  const isOpen = ({ framework, value }: FoundTool) => framework === 'langchain' || value.outputSchema === undefined
  const open = tools.filter(isOpen)
  if (open.length > 0) {
    const message = `The results of ${namesOf(open)} can be any JSON, because no schema describes them.`
    diagnostics.push(
      first.framework === 'langchain'
        ? note('TG6029', message, 'No change is needed: LangChain tools have no result schema.')
        : warning('TG6029', `${message} Their type is \`unknown\`.`, outputStep),
    )
  }
  const client = tools.filter(({ framework, value }) => framework === 'ai-sdk' && value.execute === undefined)
  if (client.length > 0) {
    const message = `${namesOf(client)} ${client.length === 1 ? 'has' : 'have'} no \`execute\`, so their calls fail.`
    const next = 'Add `execute`, or exclude them with `only` where an agent uses the toolset.'
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
  const { text, register } = moduleText(toolset, module, written, tools)
  // The code changes if the executor gets other tools. The earlier module contains the earlier code.
  const isKnown = earlier?.includes(register) ?? module.isMentioned?.(register.replace(/\(.*/s, '(')) === true
  return {
    files: [{ path: importNames('module', toolset).module, text }],
    tools: tools.length,
    described: tools.length - open.length,
    changes: toolListChanges(
      before,
      tools.map(({ name }) => listed(keyText(name))),
    ),
    diagnostics,
    ...(module.hasAgent && !isKnown && { register }),
  }
}

const outputStep = 'Add an `outputSchema` to the tools and run `toolgen generate`.'

const describeStep = 'Set the `description` of the tool in the module and run `toolgen generate`'

const toolKey = /^ {4}(\S.*): defineTool\(\{$/gm

function listed(key: string) {
  return { name: key, raw: null }
}

function namesOf(tools: readonly FoundTool[]): string {
  return tools.map(({ name }) => `\`${name}\``).join(', ')
}

function findTools(exports: ReadonlyMap<string, unknown>, diagnostics: Diagnostic[]): readonly FoundTool[] {
  const read = (value: unknown, path: FoundTool['path'], code: string, isInArray: boolean): readonly FoundTool[] => {
    const framework = frameworkOf(value)
    if (framework === undefined || !isFields(value)) return []
    const shown = `\`${path.join('.')}\``
    if (framework === 'provider') {
      diagnostics.push(note('TG6027', `${shown} is skipped, because its provider runs it.`, 'No change is needed.'))
      return []
    }
    const { payload } = frameworks[framework]
    if (value[payload] === undefined) {
      const next = `Add \`${payload}\` and import again.`
      diagnostics.push(warning('TG6027', `${shown} is skipped, because it has no schema of its arguments.`, next))
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
  return 'inputSchema' in value || (typeof value.execute === 'function' && 'description' in value)
    ? 'ai-sdk'
    : undefined
}

function isUsable({ name, value }: FoundTool, property: string, side: Side, diagnostics: Diagnostic[]): boolean {
  const read = toJsonSchema(value[property], { io: side === 'arguments' ? 'input' : 'output', hint: 'Root' })
  const error = read.diagnostics.find(({ severity }) => severity === 'error')
  const { root = true, defs: entries = [] } = read.value ?? {}
  const defs = Object.fromEntries(entries)
  const impossible = impossiblePart(root, defs)
  let why = error?.message ?? (impossible && noValueFits(impossible))
  if (side === 'arguments' && !isObjectPayload(root, defs)) why ??= 'it also accepts values that are not objects'
  if (why === undefined) return true
  const unusable = unusableSide(side, source, name, why)
  const next = error !== undefined && isFixedByMapper(error) ? executeInstead(side, property) : error?.next
  diagnostics.push({ ...unusable, ...(next !== undefined && { next }) })
  return false
}

/** A mapper (a function that converts values) would not help, because only toolsets with a service client have mappers. */
function executeInstead(side: Side, property: string): string {
  if (side === 'result') return `Return JSON from the tool, describe it in \`${property}\`, and import again.`
  return `Describe in \`${property}\` what models send, and transform it in the function of the tool: \`z.string()\` in \`${property}\` and \`Number(id)\` in the function, instead of \`z.string().transform(Number)\`. Then import again.`
}

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
    ...(used.length < 2
      ? []
      : [errorAt(at, 'TG6028', mixed, 'Move the tools of each framework to a separate module.')]),
    ...twice.map((message) => errorAt(at, 'TG6028', message, 'Rename one of them, or move it to another module.')),
  ]
}

async function toolText(tool: FoundTool, toolName: string, diagnostics: Diagnostic[]): Promise<string> {
  const { framework, value, name, code } = tool
  const hasResult = value.outputSchema === undefined || isUsable(tool, 'outputSchema', 'result', diagnostics)
  const isAiSdk = framework === 'ai-sdk'
  const isDescribed = typeof value.description === 'string' && value.description.trim() !== ''
  if (typeof value.description === 'function') diagnostics.push(describedDynamically(name))
  else if (!isDescribed) diagnostics.push(undescribed(source, name, describeStep))
  const isBlank = !isDescribed && typeof value.description === 'string'
  const otherwise = isBlank ? `?.trim() || ${stringText(name)}` : ` ?? ${stringText(name)}`
  const description = isAiSdk
    ? `descriptionOf(${code}.description, ${stringText(name)})`
    : `${code}.description${isDescribed ? '' : otherwise}`
  const confirmation = `confirmation: { prompt: ${stringText(`Run \`${name}\`?`)} }`
  // The module reads facts from the tools, also facts that are missing now, so that `generate` and `check` find later changes.
  const entries = [
    `description: ${description}`,
    ...(isAiSdk ? [`...(${code}.title && { title: ${code}.title })`] : []),
    entry('toolName', toolName, 6),
    `payload: ${code}.${frameworks[framework].payload}`,
    `result: ${hasResult && framework !== 'langchain' ? `${code}.outputSchema ?? true` : 'true'}`,
    ...(isAiSdk
      ? [
          `examples: ${code}.inputExamples?.map(({ input }) => input) ?? []`,
          `...(${code}.needsApproval && { ${confirmation} })`,
        ]
      : (await needsApproval(value))
        ? [confirmation]
        : []),
  ]
  return `${keyText(name)}: defineTool(${block(entries, 4)})`
}

/** Version 7 of the AI SDK calls a description function for each request. */
function describedDynamically(name: string): Diagnostic {
  const message = `The description of \`${name}\` is dynamic: a function returns it for each request. The name of the tool is used instead.`
  const next =
    'Set `description` to a string in the module and run `toolgen generate`: models choose tools by their descriptions.'
  return warning('TG6005', message, next)
}

/** The OpenAI Agents SDK stores even `needsApproval: true` as a function, so the check calls the function. */
async function needsApproval({ needsApproval }: FoundTool['value']): Promise<boolean> {
  if (typeof needsApproval !== 'function') return false
  try {
    return (await needsApproval({ context: {} }, {})) === true
  } catch {
    return true
  }
}

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

function moduleText(
  toolset: string,
  { exports, file, folder, hasAgent }: ToolModule,
  written: readonly string[],
  tools: readonly FoundTool[],
): { readonly text: string; readonly register: string } {
  const { constant } = importNames('module', toolset)
  const path = posix.relative(folder, file)
  const specifier = (path.startsWith('.') ? path : `./${path}`).replace(/\.([cm]?)tsx?$/, '.$1js')
  const description = `Tools of ${file}.`
  const parts = [entry('description', description, 2), `tools: ${block(written, 2)}`]
  const agentParts = [entry('description', `Uses the tools of ${file}.`, 2), `uses: [fromExecutor(${constant})]`]
  const { framework } = elementAt(tools, 0)
  const { executor } = frameworks[framework]
  const { agents } = assignNames({ toolsets: [], agents: [{ name: toolset, uses: [], exports: [] }] })
  const binding = `{ executor: ${executor}(${argumentText(tools, exports)}) }`
  const register = `${elementAt(agents, 0).names.register}(new Runtime(), { toolsets: { ${keyText(toolset)}: ${binding} } })`
  const agent = `
// Register it with its executor:
// import { ${executor} } from '@toolgen/runtime/${framework}'
// ${register}
export const ${constant}Agent = defineAgent(${flatLiteral(toolset)}, ${block(agentParts, 0)})
`
  const body = `
import { ${hasAgent ? 'defineAgent, ' : ''}defineTool, defineToolset${hasAgent ? ', fromExecutor' : ''} } from '@toolgen/dsl'
import * as source from ${stringText(specifier)}

${docComment(description)}
export const ${constant} = defineToolset(${flatLiteral(toolset)}, ${block(parts, 0)})
${hasAgent ? agent : ''}${tools.some(({ isInArray }) => isInArray) ? named : ''}${framework === 'ai-sdk' ? descriptionOf : ''}`
  return { text: writtenModule('module', `${toolset} ${file}`, body), register }
}

const named = `
function named<Tool extends { readonly name: string }>(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (found === undefined) throw new Error(\`There is no tool "\${name}" any more\`)
  return found
}
`

const descriptionOf = `
function descriptionOf(description: unknown, name: string): string {
  return typeof description === 'string' && description.trim() !== '' ? description : name
}
`

function isContainer(value: unknown): value is object {
  return Array.isArray(value) || (isFields(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value)))
}
