import type { ClientRef } from '../ir/types.js'
import { readsName } from '../service/text/reads-name.js'
import type { TransformText } from '../service/text/tool-text.js'
import { docComment } from '../text/doc-comment.js'
import { accessText, keyText, stringText } from '../text/literal.js'
import { arrowProperty } from './arrow-text.js'
import { type AgentServiceParts, type BoundTool, boundTools } from './bound-tool.js'
import { checkMember } from './check-member.js'
import { needsApproval, toolsetOf } from './design-parts.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './import-set.js'
import { mapperMember, needsMapper } from './mapper-types.js'

/** What `agent-service.hbs` shows. */
export interface AgentServiceView {
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
    header: header(use.place),
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
