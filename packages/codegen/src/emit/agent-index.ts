import type { AgentIr, DesignIr, UseIr } from '../ir/types.js'
import type { ServicePlans } from '../service/plan/plan.js'
import { docComment } from '../text/doc-comment.js'
import { lineWidth, stringText } from '../text/literal.js'
import { agentBinding } from './agent-binding.js'
import { callText } from './call-text.js'
import { envsOf, needsApproval } from './design-parts.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, relativeSpecifier, runtimeModule } from './import-set.js'
import { mcpBinding } from './mcp-binding.js'
import { openApiBinding } from './openapi-binding.js'
import { serviceBinding } from './service-binding.js'
import type { BindingScene, UseBinding } from './use-binding.js'

/** What `agent-index.hbs` shows. */
export interface AgentIndexView {
  readonly header: string
  readonly imports: string
  /** The specifiers of the folder's other files. */
  readonly exported: readonly string[]
  /** With the standard guards, then without any. */
  readonly builders: readonly {
    readonly comment: string
    readonly head: string
    readonly made: string
  }[]
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

/** The entry of an agent's folder: everything of its other files, its builder and its registration. */
export function agentIndexView(
  agent: AgentIr,
  design: DesignIr,
  plans: ServicePlans,
  file: ImportingFile,
): AgentIndexView {
  const imports = importSet(file)
  const { names } = agent
  const folder = `agents/${names.folder}`
  const specs = { generated: `${folder}/specs` }
  const files = [...agent.uses.flatMap(useFile), ...agent.exports.map((part) => part.names.file)]
  const runtime = imports.type(runtimeModule, 'Runtime')
  const bound = imports.type(runtimeModule, 'BoundAgent')
  const envs = [names.env, ...agent.uses.flatMap(envsOf)]
  const asks = agent.uses.some((use) => needsApproval(use, design))
  const needs = [...envs, ...(asks ? [imports.type(runtimeModule, 'HasApproval')] : [])]
  const descriptor = imports.value(specs, names.descriptor)
  const uses = agent.uses.map((use) => imports.value(specs, use.names.use))
  const scene = { agent, design, plans, imports }
  const bindings = agent.uses.map((use) => bindingOf(use, scene))
  return {
    exported: [...files, 'specs'].map((name) =>
      stringText(relativeSpecifier(file.path, `${folder}/${name}${file.extension}`)),
    ),
    builders: [
      {
        name: names.builder,
        make: 'standardAgent',
        says: `Begins a builder of \`${agent.name}\` with the standard guards: a run ends after 20 steps, 32,768 tokens or 300 seconds, except for limits that the policy of the design sets itself. \`${names.bareBuilder}\` begins one without guards.`,
      },
      {
        name: names.bareBuilder,
        make: 'designedAgent',
        says: `Begins a builder of \`${agent.name}\` without guards: only the policy of the design limits its runs.`,
      },
    ].map(({ name, make, says }) => ({
      comment: docComment(says, 0),
      head: functionHead(
        name,
        [`driver?: ${imports.type(runtimeModule, 'ModelDriver')}`],
        imports.type(runtimeModule, 'AgentBuilder'),
      ),
      made: callText(imports.value(runtimeModule, make), [descriptor, `[${uses.join(', ')}]`, 'driver'], 2),
    })),
    binding: {
      comment: docComment(`What serves the toolsets of \`${agent.name}\`.`, 0),
      head: interfaceHead(
        names.binding,
        envs.map((env) => `${env} = unknown`),
        `${imports.type(runtimeModule, 'AgentParts')}<${names.env}>`,
      ),
      members: bindings.map(({ member }) => member),
    },
    register: {
      comment: docComment(
        `Registers \`${agent.name}\`. Throws one error that lists every toolset, client, agent, mapper and check that is missing.`,
        0,
      ),
      head: functionHead(
        `${names.register}<${envs.join(', ')}>`,
        [
          `runtime: ${runtime}`,
          `binding: ${names.binding}<${envs.join(', ')}>${agent.uses.length === 0 ? ' = {}' : ''}`,
        ],
        [`${bound}<${needs.join(' & ')}>`, ...namespacesText(agent, design, imports)].join(' & '),
      ),
      make: imports.value(runtimeModule, 'registerAgent'),
      agent: descriptor,
      bindings: bindings.map(({ bind }) => bind),
    },
    header: header(agent.place),
    imports: imports.text(),
  }
}

/** Namespaces of the tools of an agent as a type; the default one counts for every agent. */
function namespacesText({ uses }: AgentIr, design: DesignIr, imports: ImportSet): readonly string[] {
  const used = new Set(uses.map(({ toolset }) => toolset))
  const namespaces = design.toolsets
    .filter(({ name, namespace }) => used.has(name) && namespace !== 'default')
    .map(({ namespace }) => stringText(namespace))
  if (namespaces.length === 0) return []
  return [`${imports.type(runtimeModule, 'InNamespaces')}<${[...new Set(namespaces)].join(' | ')}>`]
}

function bindingOf(use: UseIr, scene: BindingScene): UseBinding {
  switch (use.provider) {
    case 'service':
      return serviceBinding(use, scene)
    case 'agent':
      return agentBinding(use, scene)
    case 'mcp':
      return mcpBinding(use, scene)
    case 'openapi':
      return openApiBinding(use, scene)
  }
}

/** The file of a use; one that an agent serves has its file there. */
function useFile(use: UseIr): readonly string[] {
  switch (use.provider) {
    case 'service':
      return [use.names.file]
    case 'agent':
      return []
    case 'mcp':
      return [use.names.mcpFile]
    case 'openapi':
      return [use.names.openApiFile]
  }
}

function interfaceHead(name: string, parameters: readonly string[], extended: string): string {
  const flat = `export interface ${name}<${parameters.join(', ')}> extends ${extended} {`
  if (flat.length <= lineWidth) return flat
  return `export interface ${name}<\n${parameters.map((one) => `  ${one}`).join(',\n')}\n> extends ${extended} {`
}
