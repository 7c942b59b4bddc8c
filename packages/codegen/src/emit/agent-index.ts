import type { AgentIr, DesignIr, ServiceUseIr } from '../ir/types.js'
import type { ServicePlans } from '../service/plan/plan.js'
import { docComment } from '../text/doc-comment.js'
import { accessText, flatLiteral, keyText, lineWidth, propertyNameText, stringText } from '../text/literal.js'
import { needsApproval, toolOf, toolsetOf } from './design-parts.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, relativeSpecifier, runtimeModule } from './import-set.js'
import { isInheritedName } from './inherited-name.js'

/** What `agent-index.hbs` shows. */
export interface AgentIndexView {
  readonly header: string
  readonly imports: string
  /** The specifiers of the folder's other files. */
  readonly exported: readonly string[]
  readonly binding: {
    readonly comment: string
    readonly head: string
    readonly members: readonly string[]
  }
  readonly register: {
    readonly comment: string
    readonly head: string
    readonly make: string
    readonly agent: string
    readonly bindings: readonly string[]
  }
}

/** The entry of an agent's folder: everything of its other files, and its registration. */
export function agentIndexView(
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
  file: ImportingFile,
): AgentIndexView {
  const imports = importSet(file)
  const folder = `agents/${agent.names.folder}`
  const specs = { generated: `${folder}/specs` }
  const files = [...agent.uses.map((use) => use.names.file), 'specs']
  const runtime = imports.type(runtimeModule, 'Runtime')
  const bound = imports.type(runtimeModule, 'BoundAgent')
  const envs = agent.uses.map(({ names }) => names.env)
  const asks = agent.uses.some((use) => needsApproval(use, design))
  const needs = [...envs, ...(asks ? [imports.type(runtimeModule, 'HasApproval')] : [])]
  return {
    exported: files.map((name) => stringText(relativeSpecifier(file.path, `${folder}/${name}${file.extension}`))),
    binding: {
      comment: docComment(`What serves the toolsets of \`${agent.name}\`.`, 0),
      head: interfaceHead(
        `${agent.names.binding}${typeParameters(agent.uses.map(({ names }) => `${names.env} = unknown`))}`,
        imports.type(runtimeModule, 'AgentParts'),
      ),
      members: agent.uses.map((use) => bindingMember(use, folder, imports)),
    },
    register: {
      comment: docComment(
        `Registers \`${agent.name}\`. Throws one error that lists every toolset, client, mapper and check that is missing.`,
        0,
      ),
      head: functionHead(
        `${agent.names.register}${typeParameters(envs)}`,
        [
          `runtime: ${runtime}`,
          `binding: ${agent.names.binding}${typeParameters(envs)}${agent.uses.length === 0 ? ' = {}' : ''}`,
        ],
        `${bound}${typeParameters(needs.length === 0 ? [] : [needs.join(' & ')])}`,
      ),
      make: imports.value(runtimeModule, 'registerAgent'),
      agent: imports.value(specs, agent.names.descriptor),
      bindings: agent.uses.map((use) => bindingText(use, agent, design, plans, imports)),
    },
    header: header(agent.place),
    imports: imports.text(),
  }
}

function bindingMember(use: ServiceUseIr, folder: string, imports: ImportSet): string {
  const service = { generated: `${folder}/${use.names.file}` }
  const binding = imports.type(runtimeModule, 'ServiceBinding')
  const parameters = [
    imports.type(service, use.names.client),
    imports.type(service, use.names.executorOptions),
    imports.type(service, use.names.registrationOptions),
    use.names.env,
  ]
  const start = `readonly ${propertyNameText(use.as)}:`
  const flat = `${start} ${binding}<${parameters.join(', ')}>`
  if (4 + flat.length <= lineWidth) return flat
  return `${start} ${binding}<\n${parameters.map((parameter) => `      ${parameter}`).join(',\n')}\n    >`
}

function typeParameters(parameters: readonly string[]): string {
  return parameters.length === 0 ? '' : `<${parameters.join(', ')}>`
}

function interfaceHead(name: string, extended: string): string {
  return `export interface ${name} extends ${extended} {`
}

function bindingText(
  use: ServiceUseIr,
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
  imports: ImportSet,
): string {
  const service = { generated: `agents/${agent.names.folder}/${use.names.file}` }
  const required = requirements(use, agent, design, plans)
  const parameters = [
    imports.value({ generated: `agents/${agent.names.folder}/specs` }, use.names.use),
    `binding?.toolsets${accessText(use.as, true)}`,
    imports.value(service, use.names.executor),
    imports.value(service, use.names.registration),
    ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
  ]
  const bind = imports.value(runtimeModule, 'bindToolset')
  const flat = `${bind}(${parameters.join(', ')})`
  if (4 + flat.length + 1 <= lineWidth) return flat
  return `${bind}(\n${parameters.map((parameter) => `      ${parameter},\n`).join('')}    )`
}

/** What each tool cannot do without, as properties: mappers that its plan asks for, and its check. */
function requirements(use: ServiceUseIr, agent: AgentIr, design: DesignIr, plans: ServicePlans): readonly string[] {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.flatMap(({ tool }) => {
    const plan = plans[agent.name]?.[use.as]?.[tool]
    const parts = [
      ...(plan?.payload.verdict === 'mapper' ? ['payload'] : []),
      ...(plan?.result.verdict === 'mapper' ? ['result'] : []),
      ...(toolOf(toolset, tool).needsCheck ? ['check'] : []),
    ]
    const literal = `${flatLiteral(parts)}${isInheritedName(tool) ? ' as const' : ''}`
    return parts.length === 0 ? [] : [`${keyText(tool)}: ${literal}`]
  })
}
