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

/** Tool name → tool. */
export type Tools = Readonly<Record<string, Tool>>

/** Argument of `defineToolset`: description, tools and options of a toolset. */
export interface ToolsetDefinition<Named extends Tools> extends DataFlowDefaults {
  /** Topic of the tools, for models. */
  readonly description: string
  /** Tool name → tool. The order of the tools is kept. */
  readonly tools: Named
  /** Name of a group of toolsets. A session can select all toolsets of a group by this name. Default: `default`. */
  readonly namespace?: string
  /** Shared JSON Schemas: name → schema. The JSON Schemas of the tools refer to them with `#/$defs/NAME`. Default: none. */
  readonly definitions?: Readonly<Record<string, SchemaValue>>
  /** MCP server that runs the tools. The generator then also writes a client that calls the tools without an agent. Default: none. */
  readonly mcp?: McpSource<keyof NoInfer<Named> & string>
  /** HTTP API that runs the tools, in the form that `toolgen import openapi` writes. Default: none. */
  readonly openapi?: OpenApiSource<keyof NoInfer<Named> & string>
  /** Rules of `toolgen lint` that are ignored for this toolset and its tools: rule id → reason. Default: none. */
  readonly lint?: Readonly<Record<string, string>>
}

/** MCP server that runs the tools of a toolset. */
export interface McpSource<ToolName extends string = string> {
  /** Name and version that the server reported at the import. Default: none. */
  readonly server?: { readonly name: string; readonly version: string }
  /** Tool → name of the tool on the server. Default: the tool's own name. */
  readonly names?: { readonly [Name in ToolName]?: string }
  /**
   * Names of tools of the server that the toolset leaves out on purpose. A comparison with the server then does not report them as new.
   * Default: none.
   */
  readonly unused?: readonly string[]
}

/** Toolset of a design, with the types of its tools. Returned by `defineToolset` and read by the generator. Frozen. */
export interface Toolset<Named extends Tools = Tools>
  extends Omit<ToolsetDefinition<Tools>, 'tools' | 'namespace' | 'mcp'> {
  readonly '~toolgen': 'toolset'
  readonly name: string
  readonly namespace: string
  readonly tools: Named
  readonly mcp?: Omit<McpSource, 'names'> & {
    readonly names: Readonly<Record<string, string>>
    /**
     * Tools as the MCP server declared them at the import, before the options of `importedToolset` are applied. Only toolsets from a
     * snapshot have this property.
     */
    readonly captured?: Tools
    /** Tool → hash of its definition on the server. Only toolsets from a snapshot have this property. */
    readonly hashes?: Readonly<Record<string, string>>
    /** Prompts of the server, as its response to `prompts/list` declares them. Only toolsets from a snapshot have this property. */
    readonly prompts?: readonly Json[]
    /** `true` if the server offers resources. Only toolsets from a snapshot have this property. */
    readonly resources?: boolean
    /**
     * Resource templates of the server, as its response to `resources/templates/list` declares them. Only toolsets from a snapshot have
     * this property.
     */
    readonly resourceTemplates?: readonly Json[]
  }
  /** Snapshot of a toolset from `importedToolset`. `tools` is empty until the generator reads the tools from the snapshot. */
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
 * Declares a named group of tools. Agents refer to the returned value to use or export the toolset.
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
 * Declares a toolset with the tools of a snapshot, which `toolgen import` writes. `only` and `omit` select tools, and `tools` replaces
 * descriptions and other properties of single tools. A later import replaces only the snapshot and keeps these options.
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

/** Compile error for a name that is not a tool of the toolset, or not selected by `only`. */
export interface UnknownTool<Name, Selected> {
  readonly '~error': 'no such tool in this use or export of the toolset'
  readonly name: Name
  readonly tools: Selected
}

/** Type with optional properties for all `Names`. It lets the editor suggest the names. */
export type Suggested<Names extends string> = { readonly [Name in Names]?: unknown }

/**
 * Options of an exported tool. Each call of the tool starts a run of the agent. The options set the first messages of this run, and whether
 * its text answer can be the result.
 */
type ExportedToolOptions = {
  /** System prompt of the run. Default: the agent's instructions. */
  readonly systemPrompt?: string
  /**
   * True to use the agent's text answer as the result of the call if the run gives no other result. Only for tools whose result can be a
   * string. Default: false.
   */
  readonly prose?: boolean
} & (
  | {
      /** First message of the run. Default: the tool's description and the arguments as JSON. */
      readonly text?: string
      readonly template?: never
    }
  | {
      /** Template of the first message, with payload fields: `Find out all about {{topic}}.` */
      readonly template?: string
      readonly text?: never
    }
)

/** Options of `exportToolset`. `Named` is inferred from the names in `tools`, so that each wrong name is a compile error. */
interface ExportOptions<ToolName extends string, Named extends string> {
  /** Tool name → options of the exported tool. Default: none. */
  readonly tools?: {
    readonly [Name in Named]: Name extends ToolName ? ExportedToolOptions : string & UnknownTool<Name, ToolName>
  } & Suggested<NoInfer<ToolName>>
}

/** Toolset that an agent exports, with options for its tools. Returned by `exportToolset`. */
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
 * Exports a toolset from an agent with options for its tools. Each call of a tool starts a run of the agent. The options set the first
 * messages of this run, and whether its text answer can be the result of the call. Without options, list the toolset in `exports` directly.
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

/**
 * Validates the first argument of the function `caller`, which must be a toolset. Returns the location of the function's options for
 * messages.
 */
export function toolsetArgument(caller: string, toolset: Toolset): string {
  made('toolset', 'Pass the result of defineToolset(...)')(toolset, `${caller}: first argument`)
  return `${caller}(${quoted(toolset.name)})`
}
