import { type Installed, loadInstalled } from '../dev/installed-runtime.js'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import type { AgentIr, DesignIr, Json, ToolIr, ToolsetIr } from '../ir/types.js'
import type { Vendor } from '../load/toolgen-config.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject, own, type SchemaObject } from '../schema/json-schema.js'

/** The projection of the runtime that makes a vendor's form, and where the schema stands in it. */
const projections: Readonly<Record<Vendor, { readonly name: string; readonly schema: readonly string[] }>> = {
  openai: { name: 'openAiTool', schema: ['function', 'parameters'] },
  anthropic: { name: 'anthropicTool', schema: ['input_schema'] },
  gemini: { name: 'geminiTool', schema: ['parametersJsonSchema'] },
  mcp: { name: 'mcpTool', schema: ['inputSchema'] },
}

/**
 * Loads the projections of the runtime that the project has installed: what is shown is what that version sends.
 *
 * @param root where the project's packages are looked for: absolute
 */
export async function loadVendorForms(asked: readonly Vendor[], root: string): Promise<Checked<VendorForms>> {
  const forms: { [Name in Vendor]?: (offered: OfferedTool) => VendorForm } = {}
  for (const vendor of asked) {
    const { name } = projections[vendor]
    const loaded = await loadInstalled('@toolgen/runtime/projections', name, root)
    const { value: project } = loaded
    if (project === undefined) return { diagnostics: [notLoaded(loaded.diagnostics)] }
    forms[vendor] = (offered) => formOf(vendor, project, offered)
  }
  return { value: forms, diagnostics: [] }
}

function formOf(vendor: Vendor, project: Installed, offered: OfferedTool): VendorForm {
  const made: unknown = Reflect.apply(project, undefined, [offeredSpec(offered)])
  const tool = fieldsOf(isObject(made) ? own(made, 'tool') : undefined, vendor)
  const schema = projections[vendor].schema.reduce((at, key) => fieldsOf(own(at, key), vendor), tool)
  const changes = isObject(made) ? own(made, 'changes') : undefined
  const strict = isObject(made) ? own(made, 'strict') : undefined
  return {
    tool,
    schema,
    changes: Array.isArray(changes) ? changes.filter(isChange) : [],
    ...(typeof strict === 'boolean' && { strict }),
  }
}

function fieldsOf(value: unknown, vendor: Vendor): SchemaObject {
  if (isObject(value)) return value
  throw new TypeError(`the projection for ${vendor} of the installed @toolgen/runtime made no such tool`)
}

function isChange(value: unknown): value is FormChange {
  if (!isObject(value)) return false
  const texts = [value.pointer, value.keyword, value.kind, value.message]
  return texts.every((text) => typeof text === 'string') && typeof value.loosens === 'boolean'
}

function notLoaded([why]: readonly Diagnostic[]): Diagnostic {
  return {
    code: 'TG0037',
    severity: 'error',
    message: 'The forms of model vendors are not known: `@toolgen/runtime` cannot be loaded in the project.',
    next: 'Install it in the project: `npm install @toolgen/runtime`.',
    ...(why !== undefined && { related: [{ message: why.message }] }),
  }
}

/** Returns the spec that generated code has of a tool, as the runtime's projections read it. */
function offeredSpec({ tool, toolset, toolName }: OfferedTool): Json {
  return {
    id: tool.id,
    toolset: toolset.name,
    name: tool.name,
    namespace: toolset.namespace,
    toolName,
    title: tool.title,
    description: tool.description,
    tags: tool.tags,
    arguments: closedSchema(tool.arguments, toolset.defs),
    result: closedSchema(tool.result, toolset.defs),
    examples: tool.examples,
    serverOwned: [],
    annotations: { ...tool.annotations },
    hash: tool.hash,
  }
}

/** Tools that one model is told of at once: those of an agent, or of a toolset that no agent uses. */
export type Offer = { readonly tools: readonly OfferedTool[] } & (
  | { readonly kind: 'agent'; readonly agent: AgentIr }
  | { readonly kind: 'toolset'; readonly toolset: ToolsetIr }
)

/** Returns the tools that models of a design receive: agents by name, then toolsets that no agent uses. */
export function offersOf({ agents, toolsets }: DesignIr): readonly Offer[] {
  const used = new Set(agents.flatMap(({ uses }) => uses.map(({ toolset }) => toolset)))
  const byName = new Map(toolsets.map((toolset) => [toolset.name, toolset]))
  return [
    ...agents.map((agent): Offer => ({ kind: 'agent', agent, tools: toolsOf(agent, byName) })),
    ...toolsets
      .filter(({ name }) => !used.has(name))
      .map((toolset): Offer => {
        const tools = toolset.tools.map((tool) => ({ toolset, tool, toolName: tool.toolName }))
        return { kind: 'toolset', toolset, tools }
      }),
  ]
}

function toolsOf({ uses }: AgentIr, toolsets: ReadonlyMap<string, ToolsetIr>): readonly OfferedTool[] {
  return uses.flatMap((use) => {
    const toolset = toolsets.get(use.toolset)
    if (toolset === undefined) return []
    const byName = new Map(toolset.tools.map((tool) => [tool.name, tool]))
    return use.tools.flatMap(({ tool: name, toolName }) => {
      const tool = byName.get(name)
      return tool === undefined ? [] : [{ toolset, tool, toolName }]
    })
  })
}

/** A tool of a toolset, under the name by which a model knows it. */
export interface OfferedTool {
  readonly toolset: ToolsetIr
  readonly tool: ToolIr
  readonly toolName: string
}

/** A tool as it is sent to a vendor. */
export interface VendorForm {
  /** As it stands in the request. */
  readonly tool: SchemaObject
  /** The schema of the arguments in it. */
  readonly schema: SchemaObject
  /** Differences between the form and the tool's declaration. */
  readonly changes: readonly FormChange[]
  /** Of OpenAI: whether the model is held to the schema. */
  readonly strict?: boolean
}

/** A difference between what a tool declares and what is sent. */
export interface FormChange {
  /** JSON Pointer into the arguments. */
  readonly pointer: string
  readonly keyword: string
  readonly kind: string
  readonly message: string
  readonly loosens: boolean
}

/** Writes a tool in the form of a vendor. */
export type WriteForm = (offered: OfferedTool) => VendorForm

/** By vendor; one that nobody asks for is missing. */
export type VendorForms = { readonly [Name in Vendor]?: WriteForm }
