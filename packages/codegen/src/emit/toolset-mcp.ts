import type { Json, McpServedToolIr, McpSourceIr, MetaPath, ToolsetIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { flatLiteral, keyText, literalText } from '../text/literal.js'
import { callText } from './call-text.js'
import { checkMember } from './check-member.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, importSet, runtimeModule } from './import-set.js'
import { clientMethod } from './mcp-client-method.js'
import { block, schemaText } from './schema-text.js'

/** What `toolset-mcp.hbs` shows. */
export interface ToolsetMcpView {
  readonly header: string
  readonly imports: string
  readonly imported: {
    readonly comment: string
    readonly name: string
    readonly type: string
    readonly entries: string
  }
  readonly executor: { readonly comment: string; readonly head: string; readonly make: string }
  readonly client: {
    readonly comment: string
    readonly name: string
    readonly methods: readonly { readonly comment: string; readonly member: string; readonly value: string }[]
    readonly options: string
    readonly extended: string
    readonly checks: readonly string[]
    readonly head: string
    readonly tools: string
  }
}

/**
 * How an MCP server serves a toolset, and the client of the toolset that needs no agent.
 *
 * The argument `nested` holds the meta fields that agents need which serve the toolset too: call builders ask for them.
 */
export function toolsetMcpView(
  toolset: ToolsetIr,
  { mcp, nested }: { readonly mcp: McpSourceIr; readonly nested: readonly MetaPath[] },
  file: ImportingFile,
): ToolsetMcpView {
  const imports = importSet(file)
  const { names } = toolset
  const folder = `toolsets/${names.folder}`
  const caller = `caller: ${imports.type(runtimeModule, 'McpCallerSource')}`
  const executorOptions = imports.type(runtimeModule, 'McpExecutorOptions')
  const mustCheck = toolset.tools.filter(({ needsCheck }) => needsCheck)
  const make = imports.value(runtimeModule, 'mcpExecutor')
  const unused = toolset.tools.length === 0 ? '_' : ''
  const registrationOptions = imports.type(runtimeModule, 'RegistrationOptions')
  return {
    imported: {
      comment: docComment(`How an MCP server serves \`${toolset.name}\`.`, 0),
      name: names.mcp.import,
      type: imports.type(runtimeModule, 'ToolsetImport'),
      entries: block(
        [
          `toolset: ${imports.value({ generated: `${folder}/index` }, names.toolset)}`,
          ...(mcp.server === undefined ? [] : [`server: ${flatLiteral({ ...mcp.server })}`]),
          `tools: ${block(mcp.tools.map(servedText), 2)}`,
          ...(mcp.unused.length === 0 ? [] : [entry('unused', mcp.unused, 2)]),
        ],
        0,
      ),
    },
    executor: {
      comment: docComment(`Serves \`${toolset.name}\` through an MCP server.`, 0),
      head: functionHead(
        names.mcp.executor,
        [caller, `options: ${executorOptions} = {}`],
        imports.type(runtimeModule, 'McpExecutor'),
      ),
      make,
    },
    client: {
      comment: docComment(
        `The tools of \`${toolset.name}\` without an agent. A method rejects when its arguments do not fit; whatever happens then is an outcome.`,
        0,
      ),
      name: names.mcp.client,
      methods: toolset.tools.map((tool) => clientMethod(tool, { toolset, nested }, imports)),
      options: names.mcp.clientOptions,
      extended: `${executorOptions}, ${registrationOptions}`,
      checks: mustCheck.map((tool) => checkMember(tool, imports)),
      head: functionHead(
        names.mcp.newClient,
        [`${unused}${caller}`, `${unused}options: ${names.mcp.clientOptions}${mustCheck.length > 0 ? '' : ' = {}'}`],
        names.mcp.client,
      ),
      tools: callText(
        imports.value(runtimeModule, 'mcpTools'),
        [names.mcp.import, `${make}(${names.mcp.import}, caller, options)`, 'options'],
        2,
      ),
    },
    header: header(toolset.place),
    imports: imports.text(),
  }
}

/** What is known of a tool of the server, as an entry. */
function servedText({ tool, name, description, inputSchema, outputSchema }: McpServedToolIr): string {
  const facts = [
    entry('name', name, 6),
    ...(description === undefined ? [] : [entry('description', description, 6)]),
    ...(inputSchema === undefined ? [] : [`inputSchema: ${schemaText(inputSchema, 6)}`]),
    ...(outputSchema === undefined ? [] : [`outputSchema: ${schemaText(outputSchema, 6)}`]),
  ]
  const [only] = facts
  return `${keyText(tool)}: ${facts.length === 1 ? `{ ${only} }` : block(facts, 4)}`
}

function entry(key: string, value: Json, indent: number): string {
  return `${key}: ${literalText(value, { indent, used: indent + key.length + 3 })}`
}
