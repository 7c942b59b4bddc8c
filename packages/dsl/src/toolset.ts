import {
  array,
  boolean,
  definition,
  made,
  name,
  object,
  quoted,
  record,
  schema,
  silencedRules,
  string,
  textOr,
} from './checks.js'
import {
  type ImportedSource,
  type ImportedToolsetOptions,
  importedFields,
  type Snapshot,
  type SnapshotTools,
} from './imported.js'
import { checkOperations, type OpenApiSource, openApiSource } from './openapi.js'
import { type DataFlowDefaults, dataFlowDefaults, type Json, type SchemaValue, type Tool } from './tool.js'

export type Tools = Readonly<Record<string, Tool>>

/** Argument of `defineToolset`: description, tools and options of a toolset. */
export interface ToolsetDefinition<Named extends Tools> extends DataFlowDefaults {
  /** Topic of the tools, for models. */
  readonly description: string
  /** Tools of the toolset by name. The toolset preserves the order of the tools. */
  readonly tools: Named
  /** Name of a group of toolsets. A session can select all toolsets of a group by this name. Default: `default`. */
  readonly namespace?: string
  /** JSON Schemas that several tools share, by name. Tools refer to a shared schema with `#/$defs/NAME`. Default: no schemas. */
  readonly definitions?: Readonly<Record<string, SchemaValue>>
  /** MCP server that runs the tools. With `mcp`, the generator also writes a client that calls the tools without an agent. Default: no server. */
  readonly mcp?: McpSource<keyof NoInfer<Named> & string>
  /** HTTP API that runs the tools, in the format of `toolgen import openapi`. Default: no HTTP API. */
  readonly openapi?: OpenApiSource<keyof NoInfer<Named> & string>
  /** Ignored rules of `toolgen lint` for this toolset and its tools. Maps a rule id to the reason. Default: no ignored rules. */
  readonly lint?: Readonly<Record<string, string>>
}

/** MCP server that runs the tools of a toolset. */
export interface McpSource<ToolName extends string = string> {
  /** Name and version that the server reported at the import. Omitted if the toolset is not imported. */
  readonly server?: { readonly name: string; readonly version: string }
  /** Names of the tools on the server, by name in the toolset. Default: the names in the toolset. */
  readonly names?: { readonly [Name in ToolName]?: string }
  /**
   * Names of server tools that the toolset omits on purpose. A comparison with the server does not report these tools as new. Default: no
   * tools.
   */
  readonly unused?: readonly string[]
}

/** Toolset of a design: the frozen result of `defineToolset`, which the generator reads. */
export interface Toolset<Named extends Tools = Tools>
  extends Omit<ToolsetDefinition<Tools>, 'tools' | 'namespace' | 'mcp'> {
  readonly '~toolgen': 'toolset'
  readonly name: string
  readonly namespace: string
  readonly tools: Named
  readonly mcp?: Omit<McpSource, 'names'> & {
    readonly names: Readonly<Record<string, string>>
    /**
     * Tools as the MCP server described the tools at the import. The options of `importedToolset` do not change these descriptions. Only imported
     * toolsets have the property `captured`.
     */
    readonly captured?: Tools
    /** Hash of each tool's definition on the MCP server, by tool name. Only imported toolsets have the property `hashes`. */
    readonly hashes?: Readonly<Record<string, string>>
    /** Prompts in the server's response to `prompts/list`. Only imported toolsets have the property `prompts`. */
    readonly prompts?: readonly Json[]
    /** `true` if the MCP server offers resources. Only imported toolsets have the property `resources`. */
    readonly resources?: boolean
    /**
     * Resource templates in the server's response to `resources/templates/list`. Only imported toolsets have the property
     * `resourceTemplates`.
     */
    readonly resourceTemplates?: readonly Json[]
  }
  /** Snapshot and options of an imported toolset. The property `tools` is empty until the generator reads the tools from the snapshot. */
  readonly imported?: ImportedSource
}

const toolsetFields = definition<Omit<Toolset, '~toolgen' | 'name' | 'namespace'> & { readonly namespace?: string }>(
  { description: string, tools: record(made('tool', 'Create the tool with defineTool({ ... })')) },
  {
    namespace: name,
    definitions: record(schema),
    openapi: openApiSource,
    lint: silencedRules,
    ...dataFlowDefaults,
    mcp: object(
      {},
      {
        server: object({ name: string, version: string }),
        names: record(name),
        unused: array(name),
      },
    ),
  },
)

/**
 * Declares a toolset: a named group of tools. Pass the returned toolset to agents that use or export the tools.
 *
 * @throws {TypeError} if the definition is invalid
 * @example
 * export const orders = defineToolset('orders', {
 *   description: 'Look up and change customer orders.',
 *   tools: { getOrder, cancelOrder },
 * })
 */
export function defineToolset<Named extends Tools>(
  toolset: string,
  definition: ToolsetDefinition<Named>,
): Toolset<Named>
export function defineToolset(toolset: string, definition: ToolsetDefinition<Tools>): Toolset {
  const at = `defineToolset(${quoted(name(toolset, 'defineToolset: name'))})`
  const { mcp, ...fields } = toolsetFields(definition, at)
  if (fields.openapi !== undefined) checkOperations(fields.openapi, Object.keys(fields.tools), `${at}: openapi`)
  return Object.freeze<Toolset>({
    '~toolgen': 'toolset',
    name: toolset,
    namespace: 'default',
    ...fields,
    ...(mcp && { mcp: Object.freeze({ ...mcp, names: mcp.names ?? Object.freeze({}) }) }),
  })
}

/**
 * Declares a toolset with imported tools. `toolgen import` writes the snapshot of these tools. `only` and `omit` select tools. `tools`
 * replaces descriptions and other properties of single tools. A later import changes only the snapshot, and does not affect these options.
 *
 * @throws {TypeError} if an argument is invalid
 * @example
 * export const pets = importedToolset(petsSnapshot, {
 *   omit: ['deletePet'],
 *   tools: { getPet: { description: 'Look at one pet.', fields: { id: { description: 'Number of the pet.' } } } },
 * })
 */
export function importedToolset<
  Imported extends SnapshotTools,
  const Selected extends keyof Imported & string = keyof Imported & string,
  const Omitted extends keyof Imported & string = never,
>(
  snapshot: Snapshot<Imported>,
  options?: ImportedToolsetOptions<Imported, Selected, Omitted>,
): Toolset<{
  readonly [Name in Exclude<Selected, Omitted>]: Tool<
    { readonly properties: { readonly [Field in Imported[Name]]: unknown } },
    true,
    never
  >
}>
export function importedToolset(
  snapshot: Snapshot,
  options: ImportedToolsetOptions<SnapshotTools, string, string> = {},
): Toolset {
  made('snapshot', 'Pass the snapshot that `toolgen import` wrote')(snapshot, 'importedToolset: first argument')
  const at = `importedToolset(${quoted(snapshot.toolset)})`
  const { namespace = 'default', lint, reads, writes, ...fields } = importedFields(options, at)
  return Object.freeze<Toolset>({
    '~toolgen': 'toolset',
    name: snapshot.toolset,
    description: '',
    namespace,
    tools: Object.freeze({}),
    imported: Object.freeze({ snapshot, ...fields }),
    ...(lint && { lint }),
    ...(reads !== undefined && { reads }),
    ...(writes !== undefined && { writes }),
  })
}

export interface UnknownTool<Name, Selected> {
  readonly '~error': 'no such tool in this use or export of the toolset'
  readonly name: Name
  readonly tools: Selected
}

/** Intersected with an option type, so that editors suggest the names. */
export type Suggested<Names extends string> = { readonly [Name in Names]?: unknown }

/**
 * Options of an exported tool. Each call of the tool starts a run of the agent. The options set the first messages of this run, and can
 * allow a text answer as the result.
 */
type ExportedToolOptions = {
  /** System prompt of the run. Default: the agent's instructions. */
  readonly systemPrompt?: string
  /**
   * `true` returns the agent's text answer as the result of the call if the run has no other result. Allowed only for tools whose result can
   * be a string. Default: `false`.
   */
  readonly prose?: boolean
} & (
  | {
      /** First message of the run. Default: the tool's description and the arguments as JSON. */
      readonly text?: string
      readonly template?: never
    }
  | {
      /** First message of the run as a template with payload fields, such as `Find out all about {{topic}}.` */
      readonly template?: string
      readonly text?: never
    }
)

/** TypeScript infers `Named` from the names in `tools`, so that each wrong name is a compile error. */
interface ExportOptions<ToolName extends string, Named extends string> {
  readonly tools?: {
    readonly [Name in Named]: Name extends ToolName ? ExportedToolOptions : string & UnknownTool<Name, ToolName>
  } & Suggested<NoInfer<ToolName>>
}

/** Exported toolset with options for its tools. Returned by `exportToolset`. */
export interface ToolsetExport {
  readonly '~toolgen': 'export'
  readonly toolset: Toolset
  readonly tools: Readonly<
    Record<
      string,
      { readonly text?: string; readonly template?: string; readonly systemPrompt?: string; readonly prose?: boolean }
    >
  >
}

const message = textOr('Write a text for the model, or omit the field')

const exportFields = definition<Partial<Pick<ToolsetExport, 'tools'>>>(
  {},
  { tools: record(object({}, { text: message, template: message, systemPrompt: message, prose: boolean })) },
)

/**
 * Exports a toolset from an agent, with options for its tools. Each call of a tool starts a run of the agent. The options set the first
 * messages of this run, and can allow a text answer as the result. A toolset without options does not need `exportToolset`.
 *
 * @throws {TypeError} if an argument is invalid
 * @example
 * exportToolset(investigation, { tools: { investigate: { template: 'Find out all about {{topic}}.' } } })
 */
export function exportToolset<Named extends Tools, const Configured extends string = never>(
  toolset: Toolset<Named>,
  options?: ExportOptions<keyof Named & string, Configured>,
): ToolsetExport
export function exportToolset(toolset: Toolset, options: ExportOptions<string, string> = {}): ToolsetExport {
  const { tools = Object.freeze({}) } = exportFields(options, toolsetArgument('exportToolset', toolset))
  return Object.freeze<ToolsetExport>({ '~toolgen': 'export', toolset, tools })
}

/** Returns the start of the error messages about a call of the DSL function `caller`, such as `fromMcp("files")`. */
export function toolsetArgument(caller: string, toolset: Toolset): string {
  made('toolset', 'Pass the result of defineToolset(...)')(toolset, `${caller}: first argument`)
  return `${caller}(${quoted(toolset.name)})`
}
