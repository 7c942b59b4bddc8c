import type { AgentIr, ClientRef, DesignIr, ServiceUseIr, ToolIr, ToolsetIr } from '../ir/types.js'
import { readsName } from '../services/conversion-text.js'
import { type FileFunctions, fileFunctions, type NamedPlan } from '../services/file-functions.js'
import type { ServicePlans, ToolPlan } from '../services/plan.js'
import { type ServiceToolText, serviceToolText, type TransformText } from '../services/tool-text.js'
import { accessText, docComment, keyText, lineWidth, propertyNameText, stringText } from '../text.js'
import { needsApproval, toolOf, toolsetOf } from './design-parts.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './imports.js'
import { readDefinitions, typeMember } from './members.js'
import { functionHead, header } from './templates.js'
import { checkMember } from './use-binding.js'

/** What `agent-service.hbs` shows. */
interface AgentServiceView {
  readonly header: string
  readonly imports: string
  readonly client: { readonly comment: string; readonly name: string; readonly type: string }
  /** Aliases of the tuples of arguments and of the answers of the client's methods. */
  readonly aliases: readonly string[]
  readonly options: {
    readonly comment: string
    readonly name: string
    readonly mappers: string
    readonly members: readonly string[]
  }
  readonly functions: readonly string[]
  readonly executor: {
    readonly comment: string
    readonly head: string
    readonly make: string
    readonly toolset: string
    /** The client's name in the design. */
    readonly service: string
  }
  readonly tools: readonly ServiceToolView[]
  readonly registration: {
    readonly options: string
    readonly extended: string
    readonly checks: readonly string[]
    readonly head: string
    readonly make: string
    readonly use: string
    readonly comment: string
  }
}

/** How far a tool's steps are indented, in columns. */
const stepIndent = 6

/** One tool of the executor. */
interface ServiceToolView {
  readonly key: string
  readonly make: string
  /** The steps as properties, in the order in which they run. */
  readonly steps: readonly string[]
}

/** The executor of one use and its registration. */
export function agentServiceView(parts: AgentServiceParts, file: ImportingFile): AgentServiceView {
  const { agent, use, design } = parts
  const toolset = toolsetOf(design, use.toolset)
  const imports = importSet(file)
  const clients = imports.types({ specifier: parts.clientModule }, 'clients')
  const { tools: bound, functions } = boundTools(toolset, parts, imports)
  const { names } = use
  const mustMap = bound.some(needsMapper)
  const mustCheck = bound.filter(({ tool }) => tool.needsCheck)
  const executor = imports.type(runtimeModule, 'ToolExecutor')
  const unused = bound.length === 0 ? '_' : ''
  const none = (required: boolean): string => (required ? '' : ' = {}')
  return {
    client: {
      comment: docComment(`The client that serves \`${toolset.name}\` to \`${agent.name}\`.`, 0),
      name: names.client,
      type: `${imports.type(runtimeModule, 'ClientOf')}<${clientType(clients, use.client)}>`,
    },
    aliases: bound.flatMap(({ aliases }) => aliases),
    options: {
      comment: docComment('What the executor takes beside its client.', 0),
      name: names.executorOptions,
      mappers: mustMap ? 'mappers' : 'mappers?',
      members: bound.map((one) => mapperMember(one, imports)),
    },
    functions,
    executor: {
      comment: docComment(`Serves \`${toolset.name}\` to \`${agent.name}\` through a client.`, 0),
      head: functionHead(
        names.executor,
        [`${unused}client: ${names.client}`, `${unused}options: ${names.executorOptions}${none(mustMap)}`],
        executor,
      ),
      make: imports.value(runtimeModule, 'serviceExecutor'),
      toolset: stringText(toolset.name),
      service: stringText(use.client.path.join('.')),
    },
    tools: bound.map((one) => toolView(one, mustMap, imports)),
    registration: {
      options: names.registrationOptions,
      extended: imports.type(runtimeModule, 'RegistrationOptions'),
      checks: mustCheck.map(({ tool }) => checkMember(tool, imports)),
      comment: docComment(`Joins the use of \`${toolset.name}\` by \`${agent.name}\` with what serves it.`, 0),
      head: functionHead(
        names.registration,
        [`executor: ${executor}`, `options: ${names.registrationOptions}${none(mustCheck.length > 0)}`],
        registrationType(parts, imports),
      ),
      make: imports.value(runtimeModule, 'toolsetRegistration'),
      use: imports.value({ generated: `agents/${agent.names.folder}/specs` }, names.use),
    },
    header: header(use.location),
    imports: imports.text(),
  }
}

/** The registration of a use with a tool that must be confirmed needs somebody to ask. */
function registrationType({ use, design }: AgentServiceParts, imports: ImportSet): string {
  const registration = imports.type(runtimeModule, 'ToolsetRegistration')
  return needsApproval(use, design) ? `${registration}<${imports.type(runtimeModule, 'HasApproval')}>` : registration
}

function toolView({ tool, text }: BoundTool, mustMap: boolean, imports: ImportSet): ServiceToolView {
  const { stream, result } = text
  const steps = [
    ...transformStep('payload', 'payload', text.payload, imports),
    arrowProperty({ name: 'call', parameters: [`args: ${text.payload.to}`], body: text.call, indent: stepIndent }),
    ...(stream === undefined ? [] : transformStep('update', 'value', stream.update, imports)),
    ...(stream === undefined ? [] : [`collect: ${stringText(stream.collect)}`]),
    ...transformStep('result', 'value', result, imports),
    `mappers: options.mappers${accessText(tool.name, !mustMap)}`,
  ]
  const indented = steps.map((step) => step.replaceAll('\n', '\n      '))
  const make = imports.value(runtimeModule, stream === undefined ? 'serviceTool' : 'serviceStream')
  return { key: keyText(tool.name), make, steps: indented }
}

/** A step that is a function over one variable; none where a mapper takes its place. */
function transformStep(
  name: string,
  variable: string,
  { body, from, to: returns, readsMeta }: TransformText,
  imports: ImportSet,
): readonly string[] {
  if (body === undefined) return []
  // A method without parameters reads nothing of the payload, a tool that answers null nothing of the answer.
  const isRead = readsName(body, variable)
  const meta = readsMeta ? [`{ meta }: ${imports.type(runtimeModule, 'MetaSource')}`] : []
  const given = isRead ? [`${variable}: ${from}`] : meta.length > 0 ? [`_${variable}: ${from}`] : []
  return [arrowProperty({ name, parameters: [...given, ...meta], returns, body, indent: stepIndent })]
}

/** The type of the exported place holder, e.g. `typeof clients.refs.orders`. */
function clientType(clients: string, { path }: ClientRef): string {
  const named = path.findIndex((name) => !isIdentifier(name))
  const dotted = named === -1 ? path : path.slice(0, named)
  const indexed = path.slice(dotted.length).map((name) => `[${stringText(name)}]`)
  const query = `typeof ${[clients, ...dotted].join('.')}`
  return indexed.length === 0 ? query : `(${query})${indexed.join('')}`
}

function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
}

/** An arrow function as a property of an object literal. */
interface ArrowProperty {
  readonly name: string
  /** With their types; none where the function takes nothing. */
  readonly parameters?: readonly string[]
  readonly returns?: string
  /** Lines after the first are indented relative to the line on which the body begins. */
  readonly body: string
  /** How far the property is indented, in columns. */
  readonly indent: number
}

/**
 * The property on one line where that fits; else a body of one line stands below the arrow, and before any other body
 * each parameter stands on a line of its own. Lines after the first are indented relative to the first.
 */
export function arrowProperty({ name, parameters = [], returns, body, indent }: ArrowProperty): string {
  const type = returns === undefined ? '' : `: ${returns}`
  const head = `${name}: (${parameters.join(', ')})${type} =>`
  const [firstLine = ''] = body.split('\n')
  // A comma follows.
  const fits = (line: string): boolean => indent + line.length + 1 <= lineWidth
  if (fits(`${head} ${firstLine}`)) return `${head} ${body}`
  if (fits(head) && (firstLine === body || !/[[({]$/.test(firstLine))) {
    return `${head}\n  ${body.replaceAll('\n', '\n  ')}`
  }
  const broken = `${name}: (\n${parameters.map((parameter) => `  ${parameter},\n`).join('')})${type} =>`
  if (parameters.length === 0) return `${head}\n  ${body.replaceAll('\n', '\n  ')}`
  return fits(`)${type} => ${firstLine}`) ? `${broken} ${body}` : `${broken}\n  ${body.replaceAll('\n', '\n  ')}`
}

/** What the service file of a use is made from. */
export interface AgentServiceParts {
  readonly agent: AgentIr
  readonly use: ServiceUseIr
  readonly design: DesignIr
  readonly plans: ServicePlans
  /** The specifier by which this file imports the module of the client. */
  readonly clientModule: string
}

/** A tool of the use with its code. */
interface BoundTool {
  readonly tool: ToolIr
  readonly text: ServiceToolText
  /** The aliases that this file declares: of the method's arguments and of what it answers. */
  readonly aliases: readonly string[]
}

/** The tools of a use with their code, and the functions that the code needs on module level. */
interface BoundTools {
  readonly tools: readonly BoundTool[]
  readonly functions: readonly string[]
}

/** Writes the code of the tools of a use. */
function boundTools(toolset: ToolsetIr, parts: AgentServiceParts, imports: ImportSet): BoundTools {
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const named = parts.use.tools.map(({ tool: name }) => {
    const tool = toolOf(toolset, name)
    const stem = tool.names.arguments.replace(/Arguments_?$/, '')
    const plan = planOf(tool, parts)
    const names = {
      client: parts.use.names.client,
      payload: `${types}.${tool.names.payload}`,
      result: `${types}.${tool.names.result}`,
      update: `${types}.${tool.names.update}`,
      stem,
      args: `${stem}Args`,
      answer: plan.stream === undefined ? `${stem}Response` : `${stem}Item`,
    }
    return { tool, plan, names }
  })
  const definitions = readDefinitions(toolset)
  const functions = fileFunctions(named, (definition, form) => `${types}.${definitions.nameOf(definition, form)}`)
  const tools = named.map((one) => boundTool(one, functions, imports))
  return { tools, functions: functions.texts() }
}

function boundTool(
  { tool, ...named }: NamedPlan & { readonly tool: ToolIr },
  functions: FileFunctions,
  imports: ImportSet,
): BoundTool {
  const text = serviceToolText(named, functions)
  // The texts name what they use as the runtime exports it; no name of this file is one of those.
  for (const helper of text.helpers) imports.value(runtimeModule, helper)
  for (const helper of text.typeHelpers) imports.type(runtimeModule, helper)
  const { args, answer } = named.names
  const aliases = [`type ${args} = ${text.argsType}`, `type ${answer} = ${text.answerType}`]
  return { tool, text, aliases }
}

function planOf(tool: ToolIr, { agent, use, plans }: AgentServiceParts): ToolPlan {
  const plan = plans[agent.name]?.[use.as]?.[tool.name]
  if (plan === undefined) throw new Error(`There is no plan for '${tool.id}' in agent '${agent.name}'.`)
  return plan
}

/** The member of the options that holds a tool's mappers: required where one of them is. */
function mapperMember(bound: BoundTool, imports: ImportSet): string {
  const name = propertyNameText(bound.tool.name)
  const transforms = transformsOf(bound)
  if (!needsMapper(bound)) {
    const type = imports.type(runtimeModule, bound.text.stream === undefined ? 'ToolMappers' : 'StreamMappers')
    return typeMember({
      name: `${name}?`,
      type,
      parameters: transforms.flatMap(([, { from, to }]) => [from, to]),
      indent: 4,
    })
  }
  const sides = transforms.map(([side, { body, reason, from, to }]) => {
    const required = body === undefined
    const comment = reason === undefined ? '' : `${docComment(`A mapper is required: ${reason}.`, 6)}\n      `
    const type = imports.type(runtimeModule, required ? 'Mapper' : 'WrappingMapper')
    const made = side === 'update' ? (required ? [`${to} | undefined`] : [`${to} | undefined`, to]) : [to]
    return `${comment}${typeMember({ name: `${side}${required ? '' : '?'}`, type, parameters: [from, ...made], indent: 6 })}`
  })
  return `readonly ${name}: {\n${sides.map((line) => `      ${line}\n`).join('')}    }`
}

/** Whether a tool needs a mapper of the application. */
function needsMapper(bound: BoundTool): boolean {
  return transformsOf(bound).some(([, { body }]) => body === undefined)
}

/** The transforms of a tool that a mapper may wrap or must replace, in the order in which they run. */
function transformsOf({ text }: BoundTool): readonly (readonly ['payload' | 'update' | 'result', TransformText])[] {
  const { payload, stream, result } = text
  return [['payload', payload], ...(stream ? [['update', stream.update] as const] : []), ['result', result]]
}
