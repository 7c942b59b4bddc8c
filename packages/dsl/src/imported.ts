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
  type ToolDefinition,
} from './tool.js'

/** Tools of a snapshot as a type: tool name → union of the names of its top-level payload fields. */
export type SnapshotTools = Readonly<Record<string, string>>

/**
 * Snapshot of an imported toolset. `toolgen import` writes the tools to a JSON file, and a module that exports this value. The generator
 * reads the tools from the JSON file.
 */
export interface Snapshot<Imported extends SnapshotTools = SnapshotTools> {
  readonly '~toolgen': 'snapshot'
  /** Source of the tools: an MCP server (`mcp`), an OpenAPI document (`openapi`) or LLM function definitions (`functions`). */
  readonly kind: 'mcp' | 'functions' | 'openapi'
  /** Name of the toolset for which the tools were imported. */
  readonly toolset: string
  /** Path of the JSON file with the tools, relative to the module of the snapshot. */
  readonly file: string
  /** Never set at run time. Carries the names of the tools and of their payload fields for TypeScript. */
  readonly '~tools'?: Imported | undefined
}

interface ImportedToolOptions<Field extends string>
  extends Omit<
    ToolDefinition<unknown, unknown, string>,
    'description' | 'payload' | 'result' | 'streaming' | 'examples' | 'serverOwned' | 'confirmation' | 'failures'
  > {
  /** Purpose of the tool and when to use it, for models. Default: the description in the snapshot. */
  readonly description?: string
  /** Top-level payload field → its description. Default: the descriptions in the snapshot. */
  readonly fields?: { readonly [Name in Field]?: { readonly description: string } }
  /**
   * Failures of the tool: name in snake_case → definition, or `false` to drop a failure of the import. Default: the failures of the import.
   *
   * @example
   * failures: { not_found: { hint: 'There is no such pet.', status: 404 }, conflict: false }
   */
  readonly failures?: Readonly<Record<string, FailureDefinition | false>>
  /** Valid arguments without server-owned fields, the simplest first. Default: the examples in the snapshot. */
  readonly examples?: readonly { readonly [Name in Field]?: Json }[]
  /**
   * Payload fields that models cannot set, because the runtime fills them from the call's metadata: top-level field → metadata field.
   * Default: none.
   */
  readonly serverOwned?: { readonly [Name in Field]?: MetaField }
  /**
   * Asks a person the question `prompt` before the tool runs. If the person denies the call, it returns `deniedResult`, or fails if
   * `deniedResult` is not set. If `when` is set, only calls whose arguments match this schema need the confirmation. Default: no
   * confirmation.
   */
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: Json; readonly when?: SchemaValue }
}

/** Options of `importedToolset`: the selection of tools, and properties that replace those of the snapshot. */
export interface ImportedToolsetOptions<
  Imported extends SnapshotTools,
  Selected extends keyof Imported & string,
  Omitted extends keyof Imported & string,
> extends DataFlowDefaults {
  /** Topic of the tools, for models. Default: the description in the snapshot. */
  readonly description?: string
  /** Name of a group of toolsets. A session can select all toolsets of a group by this name. Default: `default`. */
  readonly namespace?: string
  /** Tools of the toolset. Default: all tools of the snapshot. */
  readonly only?: readonly Selected[]
  /** Tools of the snapshot that the toolset leaves out. Default: none. */
  readonly omit?: readonly Omitted[]
  /** Tool name → properties of this tool that replace those of the snapshot. Default: none. */
  readonly tools?: { readonly [Name in NoInfer<Exclude<Selected, Omitted>>]?: ImportedToolOptions<Imported[Name]> }
  /** Rules of `toolgen lint` that are ignored for this toolset and its tools: rule id → reason. Default: none. */
  readonly lint?: Readonly<Record<string, string>>
}

/** Snapshot of an imported toolset, with the options of `importedToolset`. */
export interface ImportedSource {
  readonly snapshot: Snapshot
  readonly description?: string
  readonly only?: readonly string[]
  readonly omit?: readonly string[]
  readonly tools?: Readonly<Record<string, ImportedToolOptions<string>>>
}

type ImportedFields = Omit<ImportedSource, 'snapshot'> &
  Pick<ImportedToolsetOptions<SnapshotTools, string, string>, 'namespace' | 'lint' | keyof DataFlowDefaults>

/** Validates the options of `importedToolset`. */
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
