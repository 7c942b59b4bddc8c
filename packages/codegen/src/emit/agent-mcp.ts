import type { AgentIr, DesignIr, McpUseIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { keyText, stringText } from '../text/literal.js'
import { toolsetOf } from './design-parts.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, importSet, runtimeModule } from './import-set.js'
import { mcpImport, mcpModule } from './mcp-import.js'
import { block } from './schema-text.js'
import { type RegistrationView, useRegistration } from './use-registration.js'

/** What `agent-mcp.hbs` shows. */
export interface AgentMcpView {
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
    header: header(use.place),
    imports: imports.text(),
  }
}
