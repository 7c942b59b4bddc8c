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
import { checkOperations, type OpenApiSource, openApiSource } from './openapi.js'
import type { SchemaValue, Tool } from './tool.js'

/** The tools of a toolset by name. */
export type Tools = Readonly<Record<string, Tool>>

/** The definition of a toolset. */
export interface ToolsetDefinition<Named extends Tools> {
  /** Topic of its tools, for models. */
  readonly description: string
  /** The tools by name; their order is kept. */
  readonly tools: Named
  /** Groups toolsets, e.g. for sessions. Default: `default`. */
  readonly namespace?: string
  /** Plain JSON Schemas to which the plain schemas of the tools refer with `#/$defs/NAME`. Default: none. */
  readonly definitions?: Readonly<Record<string, SchemaValue>>
  /** An MCP server serves it: then a client that needs no agent is generated too. Default: not declared. */
  readonly mcp?: McpSource<keyof NoInfer<Named> & string>
  /** An HTTP API serves it, as `toolgen import openapi` writes it. Default: not declared. */
  readonly openapi?: OpenApiSource<keyof NoInfer<Named> & string>
  /** Rules of `toolgen lint` that do not count for this toolset and its tools: the rule's id → the reason. Default: none. */
  readonly lint?: Readonly<Record<string, string>>
}

/** The MCP server of a toolset. */
export interface McpSource<ToolName extends string = string> {
  /** The server's name and version, as it reports them. */
  readonly server?: { readonly name: string; readonly version: string }
  /**
   * The descriptions, payloads and results are what the server declared, word for word, so that they can be compared with
   * what it declares later; `toolgen import mcp` writes such toolsets. Default: false.
   */
  readonly captured?: boolean
  /** Tool → the server's name of it. Default: the tool's own name. */
  readonly names?: { readonly [Name in ToolName]?: string }
  /** The server's names of tools that the toolset leaves out: they do not count as new ones. */
  readonly unused?: readonly string[]
}

/** A toolset of a design, with the types of its tools: a frozen value that `defineToolset` returns and the generator reads. */
export interface Toolset<Named extends Tools = Tools>
  extends Omit<ToolsetDefinition<Tools>, 'tools' | 'namespace' | 'mcp'> {
  readonly '~toolgen': 'toolset'
  readonly name: string
  readonly namespace: string
  readonly tools: Named
  readonly mcp?: Omit<McpSource, 'names'> & { readonly names: Readonly<Record<string, string>> }
}

const toolsetFields = definition<Omit<Toolset, '~toolgen' | 'name' | 'namespace'> & { readonly namespace?: string }>(
  { description: string, tools: record(made('tool', 'Make it with defineTool({ ... })')) },
  {
    namespace: name,
    definitions: record(schema),
    openapi: openApiSource,
    lint: silencedRules,
    mcp: object(
      {},
      {
        server: object({ name: string, version: string }),
        captured: boolean,
        names: record(name),
        unused: array(name),
      },
    ),
  },
)

/**
 * Declares a named group of tools. Agents that serve or use it refer to this value.
 *
 * @throws {TypeError} when the definition is evidently wrong
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

/** Shown by the compiler for a name that is not one of the tools. */
export interface UnknownTool<Name, Selected> {
  readonly '~error': 'no such tool in this use or export of the toolset'
  readonly name: Name
  readonly tools: Selected
}

/** Offers names to the editor without constraining them. */
export type Suggested<Names extends string> = { readonly [Name in Names]?: unknown }

/** Options of a tool that an agent exports: the beginning and the end of the run that serves a call. */
type ExportedToolOptions = {
  /** The system prompt of these runs, in place of the agent's instructions. */
  readonly systemPrompt?: string
  /** Prose is the result where the run has no other; for results that may be a string. Default: false. */
  readonly prose?: boolean
} & (
  | {
      /** The first message of the run, as it is. Default: the tool's description and the arguments as JSON. */
      readonly text?: string
      readonly template?: never
    }
  | {
      /** The first message of the run, with fields of the payload: `Find out all about {{topic}}.` */
      readonly template?: string
      readonly text?: never
    }
)

/**
 * Options of `exportToolset`. `Named` is inferred from the names that are written; each one that is not a tool is an
 * error.
 */
interface ExportOptions<ToolName extends string, Named extends string> {
  /** Tool → how the agent serves it. Default: a run without special options. */
  readonly tools?: {
    readonly [Name in Named]: Name extends ToolName ? ExportedToolOptions : string & UnknownTool<Name, ToolName>
  } & Suggested<NoInfer<ToolName>>
}

/** A toolset that an agent exports, with the options of single tools. */
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

const message = textOr('Write what the model is told, or leave it out')

const exportFields = definition<Partial<Pick<ToolsetExport, 'tools'>>>(
  {},
  { tools: record(object({}, { text: message, template: message, systemPrompt: message, prose: boolean })) },
)

/**
 * Exports a toolset from an agent with options for single tools: the first message of the run that serves a call, and
 * whether prose counts as its result. A toolset without such options can be listed in `exports` by itself.
 *
 * @throws {TypeError} when an argument is evidently wrong
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

/** Checks the first argument of a function and returns the location of its options, for messages. */
export function toolsetArgument(caller: string, toolset: Toolset): string {
  made('toolset', 'Pass what defineToolset(...) returned')(toolset, `${caller}: first argument`)
  return `${caller}(${quoted(toolset.name)})`
}
