import { array, type Check, definition, name, object, record, silencedRules, string } from './checks.js'
import {
  type DataFlowDefaults,
  dataFlowDefaults,
  type FailureDefinition,
  failureDefinition,
  type Json,
  type MetaField,
  overridableFields,
  type SchemaValue,
  type ToolProperties,
} from './tool.js'

/** Maps each tool name to a union of the names of the tool's top-level payload fields. */
export type SnapshotTools = Readonly<Record<string, string>>

/**
 * Reference to imported tools. `toolgen import` writes the tools to a JSON file, and also writes a module that exports the reference. The
 * generator reads the JSON file.
 */
export interface Snapshot<Imported extends SnapshotTools = SnapshotTools> {
  readonly '~toolgen': 'snapshot'
  /** Source of the tools: an MCP server (`mcp`), an OpenAPI document (`openapi`) or LLM function definitions (`functions`). */
  readonly kind: 'mcp' | 'functions' | 'openapi'
  /** Name of the imported toolset. */
  readonly toolset: string
  /** Path of the JSON file with the tools, relative to the module that exports the snapshot. */
  readonly file: string
  /** Names of the tools and of their payload fields, for TypeScript only. Never set at run time. */
  readonly '~tools'?: Imported | undefined
}

interface ImportedToolOptions<Field extends string>
  extends Omit<ToolProperties, 'description' | 'streaming' | 'failures'> {
  /** Description for models: purpose of the tool, and situations in which to use the tool. Default: the description in the snapshot. */
  readonly description?: string
  /** Descriptions of top-level payload fields, by field name. Default: the descriptions in the snapshot. */
  readonly fields?: { readonly [Name in Field]?: { readonly description: string } }
  /**
   * Failures of the tool, by name in snake_case. `false` removes an imported failure. Default: the imported failures.
   *
   * @example
   * failures: { not_found: { hint: 'There is no such pet.', status: 404 }, conflict: false }
   */
  readonly failures?: Readonly<Record<string, FailureDefinition | false>>
  /** Examples of valid arguments without server-owned fields, simplest first. Default: the examples in the snapshot. */
  readonly examples?: readonly { readonly [Name in Field]?: Json }[]
  /**
   * Payload fields that the runtime fills, such as `{ tenant: 'labels.tenant' }`. Models cannot set these fields. Maps a top-level payload field
   * to the source of its value. Default: no fields.
   */
  readonly serverOwned?: { readonly [Name in Field]?: MetaField }
  /**
   * Asks a person the question `prompt` before the tool runs. A denied call returns `deniedResult`. Without `deniedResult`, a denied call
   * fails. The schema `when` selects the calls that need a confirmation, by their arguments. Without `when`, all calls need a confirmation.
   * Default: no confirmation.
   */
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: Json; readonly when?: SchemaValue }
}

export interface ImportedToolsetOptions<
  Imported extends SnapshotTools,
  Selected extends keyof Imported & string,
  Omitted extends keyof Imported & string,
> extends DataFlowDefaults {
  /** Topic of the tools, for models. Default: the description in the snapshot. */
  readonly description?: string
  /** Name of a group of toolsets. A session can select all toolsets of a group by this name. Default: `default`. */
  readonly namespace?: string
  /** Names of the tools that the toolset includes. Default: all tools of the snapshot. */
  readonly only?: readonly Selected[]
  /** Names of the tools that the toolset excludes. Default: no tools. */
  readonly omit?: readonly Omitted[]
  /** Replacements for properties of single tools, by tool name. Default: the properties in the snapshot. */
  readonly tools?: { readonly [Name in NoInfer<Exclude<Selected, Omitted>>]?: ImportedToolOptions<Imported[Name]> }
  /** Ignored rules of `toolgen lint` for this toolset and its tools. Maps a rule id to the reason. Default: no ignored rules. */
  readonly lint?: Readonly<Record<string, string>>
}

export interface ImportedSource {
  readonly snapshot: Snapshot
  readonly description?: string
  readonly only?: readonly string[]
  readonly omit?: readonly string[]
  readonly tools?: Readonly<Record<string, ImportedToolOptions<string>>>
}

type ImportedFields = Omit<ImportedSource, 'snapshot'> &
  Pick<ImportedToolsetOptions<SnapshotTools, string, string>, 'namespace' | 'lint' | keyof DataFlowDefaults>

export const importedFields: Check<ImportedFields> = definition<ImportedFields>(
  {},
  {
    description: string,
    namespace: name,
    only: array(name),
    omit: array(name),
    lint: silencedRules,
    ...dataFlowDefaults,
    tools: record(
      object(
        {},
        {
          ...overridableFields,
          failures: record((value, at) => (value === false ? value : failureDefinition(value, at))),
          description: string,
          fields: record(object({ description: string })),
        },
      ),
    ),
  },
)
