import type { AgentIr, ClientRef, DesignIr, ServiceUseIr, ToolIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { readsName } from '../services/conversion-text.js'
import { executorText, type ServiceToolText, type TransformText } from '../services/executor-text.js'
import type { ToolPlan } from '../services/plan.js'
import { accessText, docComment, keyText, lineWidth, propertyNameText, stringText } from '../text.js'
import { readDefinitions } from './definitions.js'
import { toolOf, toolsetOf } from './design-queries.js'
import type { GeneratedFile } from './generated-file.js'
import { functionHead, typeMember } from './layout.js'
import { registrationView } from './servers.js'
import { toolsetModule } from './tool-types.js'

/** The tools of a use with their plans, and the specifier by which its file imports the module of the client. */
export interface ServiceUseContext {
  readonly agent: AgentIr
  readonly use: ServiceUseIr
  readonly design: DesignIr
  readonly plans: Readonly<Record<string, ToolPlan>>
  readonly clientModule: string
}

/** Emits the executor of a use and its registration. */
export function agentService(context: ServiceUseContext, file: GeneratedFile): EmittedFile {
  const { agent, use, design } = context
  const { names } = use
  const clients = file.types('clients', { specifier: context.clientModule })
  const { tools, functions } = boundTools(context, file)
  const mustMap = tools.some(needsMapper)
  const unused = tools.length === 0 ? '_' : ''
  const options = `${unused}options: ${names.executorOptions}${mustMap ? '' : ' = {}'}`
  return file.print('agent-service', use.location, {
    client: {
      comment: docComment(`The client that serves \`${use.toolset}\` to \`${agent.name}\`.`, 0),
      name: names.client,
      type: `${file.type('ClientOf')}<${clientType(clients, use.client)}>`,
    },
    aliases: tools.flatMap(({ aliases }) => aliases),
    options: {
      comment: docComment(`Options of \`${names.executor}\`.`, 0),
      name: names.executorOptions,
      mappers: mustMap ? 'mappers' : 'mappers?',
      members: tools.map((tool) => mapperMember(tool, file)),
    },
    functions,
    executor: {
      comment: docComment(
        `Returns an executor of \`${use.toolset}\` for \`${agent.name}\` that calls the methods of a client.`,
        0,
      ),
      head: functionHead(names.executor, [`${unused}client: ${names.client}`, options], file.type('ToolExecutor')),
      make: file.value('serviceExecutor'),
      toolset: stringText(use.toolset),
      service: stringText(use.client.path.join('.')),
    },
    tools: tools.map((tool) => toolView(tool, mustMap, file)),
    registration: registrationView(use, agent, design, file),
  })
}

/** Indentation of a tool's steps, in columns. */
const stepIndent = 6

function toolView({ tool, text }: BoundTool, mustMap: boolean, file: GeneratedFile): object {
  const { payload, stream, result } = text
  const steps = [
    ...transformStep('payload', 'payload', payload, file),
    arrowProperty({ name: 'call', parameters: [`args: ${payload.to}`], body: text.call, indent: stepIndent }),
    ...(stream === undefined ? [] : transformStep('update', 'value', stream.update, file)),
    ...(stream === undefined ? [] : [`collect: ${stringText(stream.collect)}`]),
    ...transformStep('result', 'value', result, file),
    `mappers: options.mappers${accessText(tool.name, !mustMap)}`,
  ]
  return {
    key: keyText(tool.name),
    make: file.value(stream === undefined ? 'serviceTool' : 'serviceStream'),
    steps: steps.map((step) => step.replaceAll('\n', '\n      ')),
  }
}

/** Returns a step that is a function over one variable; nothing where a mapper replaces it. */
function transformStep(
  name: string,
  variable: string,
  { body, from, to: returns, readsMeta }: TransformText,
  file: GeneratedFile,
): readonly string[] {
  if (body === undefined) return []
  const meta = readsMeta ? [`{ meta }: ${file.type('MetaSource')}`] : []
  // A method without parameters reads nothing of the payload, a tool that returns null nothing of the response.
  const value = readsName(body, variable) ? [`${variable}: ${from}`] : readsMeta ? [`_${variable}: ${from}`] : []
  return [arrowProperty({ name, parameters: [...value, ...meta], returns, body, indent: stepIndent })]
}

/** Returns the type of the exported placeholder, e.g. `typeof clients.refs.orders`. */
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
  /** With their types. Default: none. */
  readonly parameters?: readonly string[]
  readonly returns?: string
  /** Lines after the first are indented relative to the line on which the body begins. */
  readonly body: string
  /** Indentation of the property, in columns. */
  readonly indent: number
}

/**
 * Returns the property on one line where that fits; else a body of one line follows below the arrow, and before any other
 * body each parameter has a line of its own. Lines after the first are indented relative to the first.
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

/** A tool of the use with its code. */
interface BoundTool {
  readonly tool: ToolIr
  readonly text: ServiceToolText
  /** The aliases that this file declares: of the method's arguments and of its response. */
  readonly aliases: readonly string[]
}

/** Writes the code of the tools of a use, and the functions that the code needs on module level. */
function boundTools(
  { agent, use, design, plans }: ServiceUseContext,
  file: GeneratedFile,
): { readonly tools: readonly BoundTool[]; readonly functions: readonly string[] } {
  const toolset = toolsetOf(design, use.toolset)
  const types = file.types('types', toolsetModule(toolset, 'types'))
  const named = use.tools.map(({ tool: name }) => {
    const tool = toolOf(toolset, name)
    const stem = tool.names.arguments.replace(/Arguments_?$/, '')
    const plan = plans[tool.name]
    if (plan === undefined) throw new Error(`There is no plan for '${tool.id}' in agent '${agent.name}'.`)
    const names = {
      client: use.names.client,
      payload: `${types}.${tool.names.payload}`,
      result: `${types}.${tool.names.result}`,
      update: `${types}.${tool.names.update}`,
      stem,
      args: `${stem}Args`,
      response: plan.stream === undefined ? `${stem}Response` : `${stem}Item`,
    }
    return { tool, plan, names }
  })
  const definitions = readDefinitions(toolset)
  const { tools: texts, functions } = executorText(
    named,
    (definition, form) => `${types}.${definitions.nameOf(definition, form)}`,
  )
  const tools = named.flatMap(({ tool, names }, index): readonly BoundTool[] => {
    const text = texts[index]
    if (text === undefined) return []
    // The texts use the names that the runtime exports; no name of this file is one of those.
    for (const helper of text.helpers) file.value(helper)
    for (const helper of text.typeHelpers) file.type(helper)
    const aliases = [`type ${names.args} = ${text.argsType}`, `type ${names.response} = ${text.responseType}`]
    return [{ tool, text, aliases }]
  })
  return { tools, functions }
}

/** Returns the member of the options that holds a tool's mappers: required if one of them is. */
function mapperMember(bound: BoundTool, file: GeneratedFile): string {
  const name = propertyNameText(bound.tool.name)
  const transforms = transformsOf(bound)
  if (!needsMapper(bound)) {
    const type = file.type(bound.text.stream === undefined ? 'ToolMappers' : 'StreamMappers')
    const args = transforms.flatMap(([, { from, to }]) => [from, to])
    return typeMember(`${name}?`, type, args, 4)
  }
  const sides = transforms.map(([side, { body, reason, from, to }]) => {
    const required = body === undefined
    const comment = reason === undefined ? '' : `${docComment(`A mapper is required: ${reason}.`, 6)}\n      `
    const type = file.type(required ? 'Mapper' : 'WrappingMapper')
    const made = side === 'update' ? (required ? [`${to} | undefined`] : [`${to} | undefined`, to]) : [to]
    return `${comment}${typeMember(`${side}${required ? '' : '?'}`, type, [from, ...made], 6)}`
  })
  return `readonly ${name}: {\n${sides.map((line) => `      ${line}\n`).join('')}    }`
}

/** Checks whether a tool needs a mapper of the application. */
function needsMapper(bound: BoundTool): boolean {
  return transformsOf(bound).some(([, { body }]) => body === undefined)
}

/** Returns the transforms of a tool that a mapper can wrap or must replace, in the order in which they run. */
function transformsOf({ text }: BoundTool): readonly (readonly ['payload' | 'update' | 'result', TransformText])[] {
  const { payload, stream, result } = text
  return [['payload', payload], ...(stream ? [['update', stream.update] as const] : []), ['result', result]]
}
