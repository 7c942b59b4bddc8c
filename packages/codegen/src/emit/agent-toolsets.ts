import type { AgentIr, DesignIr, ExportIr, McpUseIr, OpenApiUseIr, ToolsetIr } from '../ir/types.js'
import { docComment, keyText, propertyNameText, stringText } from '../text.js'
import { needsApproval, toolOf, toolsetOf } from './design-parts.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './imports.js'
import { block, functionHead, header } from './templates.js'
import { checkMember, mcpImport, mcpModule } from './use-binding.js'

/** What `agent-mcp.hbs` shows. */
interface AgentMcpView {
  readonly header: string
  readonly imports: string
  /** There where the use names tools of the server itself. */
  readonly renamed?: {
    readonly comment: string
    readonly name: string
    readonly type: string
    readonly entries: string
  }
  readonly executor: {
    readonly comment: string
    readonly head: string
    readonly make: string
    readonly imported: string
  }
  readonly registration: RegistrationView
}

/** The executor of a use that an MCP server serves, and its registration. */
export function agentMcpView(
  parts: { readonly agent: AgentIr; readonly use: McpUseIr; readonly design: DesignIr },
  file: ImportingFile,
): AgentMcpView {
  const { agent, use, design } = parts
  const toolset = toolsetOf(design, use.toolset)
  const imports = importSet(file)
  const { names } = use
  const { renamed } = mcpImport(use, { agent, toolset })
  const ofToolset = imports.value(mcpModule(toolset), toolset.names.mcp.import)
  const tools = renamed.map(({ tool, remote }) => `${keyText(tool)}: { name: ${stringText(remote)} }`)
  return {
    ...(renamed.length > 0 && {
      renamed: {
        comment: docComment(`How the server of \`${agent.name}\` serves \`${toolset.name}\`.`, 0),
        name: names.mcpImport,
        type: imports.type(runtimeModule, 'ToolsetImport'),
        entries: block([`...${ofToolset}`, `tools: ${block([`...${ofToolset}.tools`, ...tools], 2)}`], 0),
      },
    }),
    executor: {
      comment: docComment(`Serves \`${toolset.name}\` to \`${agent.name}\` through an MCP server.`, 0),
      head: functionHead(
        names.mcpExecutor,
        [
          `caller: ${imports.type(runtimeModule, 'McpCallerSource')}`,
          `options: ${imports.type(runtimeModule, 'McpExecutorOptions')} = {}`,
        ],
        imports.type(runtimeModule, 'McpExecutor'),
      ),
      make: imports.value(runtimeModule, 'mcpExecutor'),
      imported: renamed.length > 0 ? names.mcpImport : ofToolset,
    },
    registration: useRegistration(parts, imports),
    header: header(use.location),
    imports: imports.text(),
  }
}

/** What `agent-openapi.hbs` shows. */
interface AgentOpenApiView {
  readonly header: string
  readonly imports: string
  readonly registration: RegistrationView
}

/** The registration of a use that an HTTP API serves; its executor belongs to the toolset. */
export function agentOpenApiView(
  parts: { readonly agent: AgentIr; readonly use: OpenApiUseIr; readonly design: DesignIr },
  file: ImportingFile,
): AgentOpenApiView {
  const imports = importSet(file)
  return {
    registration: useRegistration(parts, imports),
    header: header(parts.use.location),
    imports: imports.text(),
  }
}

/** The function that joins a use with what serves it, as templates show it. */
interface RegistrationView {
  readonly options: string
  readonly extended: string
  readonly checks: readonly string[]
  readonly comment: string
  readonly head: string
  readonly make: string
  readonly use: string
}

/** The registration of a use that no client of the application serves. */
function useRegistration(
  { agent, use, design }: { readonly agent: AgentIr; readonly use: McpUseIr | OpenApiUseIr; readonly design: DesignIr },
  imports: ImportSet,
): RegistrationView {
  const { names } = use
  const toolset = toolsetOf(design, use.toolset)
  const mustCheck = use.tools.map(({ tool }) => toolOf(toolset, tool)).filter(({ needsCheck }) => needsCheck)
  const registration = imports.type(runtimeModule, 'ToolsetRegistration')
  const none = mustCheck.length > 0 ? '' : ' = {}'
  return {
    options: names.registrationOptions,
    extended: imports.type(runtimeModule, 'RegistrationOptions'),
    checks: mustCheck.map((tool) => checkMember(tool, imports)),
    comment: docComment(`Joins the use of \`${toolset.name}\` by \`${agent.name}\` with what serves it.`, 0),
    head: functionHead(
      names.registration,
      [`executor: ${imports.type(runtimeModule, 'ToolExecutor')}`, `options: ${names.registrationOptions}${none}`],
      needsApproval(use, design) ? `${registration}<${imports.type(runtimeModule, 'HasApproval')}>` : registration,
    ),
    make: imports.value(runtimeModule, 'toolsetRegistration'),
    use: imports.value({ generated: `agents/${agent.names.folder}/specs` }, names.use),
  }
}

/** What `agent-export.hbs` shows. */
interface AgentExportView {
  readonly header: string
  readonly imports: string
  readonly options: {
    readonly comment: string
    readonly name: string
    readonly extended: string
    /** The results of the tools, as properties of a type. */
    readonly results: readonly string[]
    readonly checks: readonly string[]
  }
  readonly registration: {
    readonly comment: string
    readonly head: string
    readonly make: string
    readonly exported: string
  }
}

/** How a toolset is registered that an agent serves. */
export function agentExportView(
  { agent, offer, design }: { readonly agent: AgentIr; readonly offer: ExportIr; readonly design: DesignIr },
  file: ImportingFile,
): AgentExportView {
  const toolset = toolsetOf(design, offer.toolset)
  const imports = importSet(file)
  const { names } = offer
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const mustCheck = toolset.tools.filter((tool) => tool.needsCheck)
  const bound = `${imports.type(runtimeModule, 'BoundAgent')}<Env>`
  return {
    options: {
      comment: docComment(
        `What the registration takes beside the agent: how \`${agent.name}\` serves single tools.`,
        0,
      ),
      name: names.registrationOptions,
      extended: imports.type(runtimeModule, 'AgentToolsetOptions'),
      results: toolset.tools.map((tool) => `readonly ${propertyNameText(tool.name)}: ${types}.${tool.names.result}`),
      checks: mustCheck.map((tool) => checkMember(tool, imports)),
    },
    registration: {
      comment: docComment(`Joins \`${toolset.name}\` with \`${agent.name}\`, which serves it: each call is a run.`, 0),
      head: functionHead(
        `${names.registration}<Env>`,
        [
          `agent: ${bound} | (() => ${bound})`,
          `options: ${names.registrationOptions}${mustCheck.length === 0 ? ' = {}' : ''}`,
        ],
        `${imports.type(runtimeModule, 'ToolsetRegistration')}<${envOf(toolset, imports)}>`,
      ),
      make: imports.value(runtimeModule, 'agentToolsetRegistration'),
      exported: imports.value({ generated: `agents/${agent.names.folder}/specs` }, names.export),
    },
    header: header(offer.location),
    imports: imports.text(),
  }
}

/** A tool that must be confirmed needs somebody to ask, beside what the agent needs. */
function envOf({ tools }: ToolsetIr, imports: ImportSet): string {
  const asks = tools.some(({ confirmation }) => confirmation !== undefined)
  return asks ? `Env & ${imports.type(runtimeModule, 'HasApproval')}` : 'Env'
}
