import {
  checkedFields,
  type FieldChecks,
  frozenDictionary,
  frozenNames,
  hasFields,
  isDictionaryOf,
  isFlag,
  isListOf,
  isMade,
  isMessage,
  isName,
  isOpenApiSource,
  isSchema,
  isSilencedRules,
  isText,
  plainCopy,
  quoted,
  requireOperations,
} from './checks.js'
import type {
  ExportedToolOptions,
  ExportedToolValue,
  ExportOptions,
  ExportValue,
  McpSourceValue,
  OpenApiSource,
  SchemaValue,
  ToolsetValue,
  ToolValue,
} from './types.js'

/** What is told about a toolset. */
export interface ToolsetDefinition<Tools extends Readonly<Record<string, ToolValue>>> {
  /** What its tools are about, for models. */
  readonly description: string
  /** The tools by name; their order is kept. */
  readonly tools: Tools
  /** Groups toolsets, e.g. for sessions. Default: `default`. */
  readonly namespace?: string
  /** Plain JSON Schemas to which the plain schemas of the tools refer with `#/$defs/NAME`. Default: none. */
  readonly definitions?: Readonly<Record<string, SchemaValue>>
  /** An MCP server serves it: then a client that needs no agent is generated too. Default: not declared. */
  readonly mcp?: McpSource<keyof NoInfer<Tools> & string>
  /** An HTTP API serves it, as `toolgen import openapi` writes it. Default: not declared. */
  readonly openapi?: OpenApiSource<keyof NoInfer<Tools> & string>
  /** Rules of `toolgen lint` that do not count for this toolset and its tools: the rule's id → why. Default: none. */
  readonly lint?: Readonly<Record<string, string>>
}

/** What is told about the MCP server of a toolset. */
export interface McpSource<Tool extends string = string> {
  /** What the server calls itself. */
  readonly server?: { readonly name: string; readonly version: string }
  /**
   * The descriptions, payloads and results are what the server declared, word for word, so that they can be compared with
   * what it declares later; `toolgen import mcp` writes such toolsets. Default: false.
   */
  readonly captured?: boolean
  /** Tool → what the server calls it. Default: the tool's own name. */
  readonly names?: { readonly [Name in Tool]?: string }
  /** The server's names of tools that it has and the toolset leaves out: they are not taken for new ones. */
  readonly unused?: readonly string[]
}

/** A toolset of a design, with the types of its tools. */
export interface Toolset<Tools extends Readonly<Record<string, ToolValue>> = Readonly<Record<string, ToolValue>>>
  extends ToolsetValue {
  readonly tools: Tools
}

const toolsetChecks: FieldChecks = {
  required: { description: isText, tools: isDictionaryOf(isMade('tool', 'Make it with defineTool({ ... })')) },
  optional: {
    namespace: isName,
    definitions: isDictionaryOf(isSchema),
    openapi: isOpenApiSource,
    lint: isSilencedRules,
    mcp: hasFields({
      required: {},
      optional: {
        server: hasFields({ required: { name: isText, version: isText }, optional: {} }),
        captured: isFlag,
        names: isDictionaryOf(isName),
        unused: isListOf(isName),
      },
    }),
  },
}

/**
 * Declares a named group of tools. Whoever serves or uses it refers to this value. Throws a TypeError when the
 * definition is evidently wrong.
 *
 * @example
 * export const orders = defineToolset('orders', {
 *   description: 'Look up and change customer orders.',
 *   tools: { getOrder, cancelOrder },
 * })
 */
export function defineToolset<Tools extends Readonly<Record<string, ToolValue>>>(
  name: string,
  definition: ToolsetDefinition<Tools>,
): Toolset<Tools>
export function defineToolset(
  name: string,
  definition: ToolsetDefinition<Readonly<Record<string, ToolValue>>>,
): ToolsetValue {
  isName(name, 'defineToolset: name')
  const where = `defineToolset(${quoted(name)})`
  const { description, tools, namespace, definitions, mcp, openapi, lint } = checkedFields(
    definition,
    toolsetChecks,
    where,
  )
  if (openapi !== undefined) requireOperations(openapi, Object.keys(tools), `${where}: openapi`)
  return Object.freeze<ToolsetValue>({
    '~toolgen': 'toolset',
    name,
    description,
    namespace: namespace ?? 'default',
    tools: frozenDictionary(tools, `${where}: tools`),
    ...(definitions && { definitions: frozenDictionary(definitions, `${where}: definitions`) }),
    ...(openapi && { openapi: Object.freeze({ ...openapi }) }),
    ...(mcp && { mcp: frozenSource(mcp, `${where}: mcp`) }),
    ...(lint && { lint: frozenDictionary(lint, `${where}: lint`) }),
  })
}

function frozenSource({ server, captured, names = {}, unused }: McpSource, where: string): McpSourceValue {
  return Object.freeze<McpSourceValue>({
    ...(server && { server: Object.freeze({ name: server.name, version: server.version }) }),
    ...(captured !== undefined && { captured }),
    names: frozenNames(names, `${where}.names`),
    ...(unused && { unused: Object.freeze([...unused]) }),
  })
}

const toolChecks: FieldChecks = {
  required: {},
  optional: { text: isMessage, template: isMessage, systemPrompt: isMessage, prose: isFlag },
}

const exportChecks: FieldChecks = {
  required: {},
  optional: { tools: isDictionaryOf(hasFields(toolChecks)) },
}

/**
 * Says how an agent serves a toolset that stands in its `exports`: each call of a tool is a run of the agent, and `tools`
 * says for single tools what that run begins with and whether words count as its result. A toolset that needs none of
 * it stands in `exports` by itself. Throws a TypeError when an argument is evidently wrong.
 *
 * @example
 * exportToolset(investigation, { tools: { investigate: { template: 'Find out all about {{topic}}.' } } })
 */
export function exportToolset<Tools extends Readonly<Record<string, ToolValue>>, const Named extends string = never>(
  toolset: Toolset<Tools>,
  options?: ExportOptions<keyof Tools & string, Named>,
): ExportValue
export function exportToolset(toolset: ToolsetValue, options: ExportOptions<string, string> = {}): ExportValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'exportToolset: first argument')
  const where = `exportToolset(${quoted(toolset.name)})`
  const { tools } = checkedFields(options, exportChecks, where)
  return Object.freeze<ExportValue>({
    '~toolgen': 'export',
    toolset,
    tools: frozenTools(tools ?? {}, `${where}: tools`),
  })
}

function frozenTools(
  tools: Readonly<Record<string, ExportedToolOptions>>,
  where: string,
): Readonly<Record<string, ExportedToolValue>> {
  const entries = Object.entries(plainCopy(tools, where)).map(([tool, options]): [string, ExportedToolValue] => [
    tool,
    Object.freeze<ExportedToolValue>(plainCopy(options, `${where}[${quoted(tool)}]`)),
  ])
  return frozenDictionary(Object.fromEntries(entries), where)
}
