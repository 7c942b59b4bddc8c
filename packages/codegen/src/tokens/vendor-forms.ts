import type { DeclaredTool } from '@toolgen/runtime/projections'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, errorAt } from '../diagnostics/diagnostic.js'
import type { AgentIr, DesignIr, Json, ToolIr, ToolsetIr } from '../ir/types.js'
import type { Vendor } from '../load/toolgen-config.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject, own, type SchemaObject } from '../schema/json-schema.js'

export interface OfferedTool {
  readonly toolset: ToolsetIr
  readonly tool: ToolIr
  readonly toolName: string
  readonly as?: string
}

export interface VendorForm {
  readonly tool: SchemaObject
  readonly schema: SchemaObject
  readonly changes: readonly FormChange[]
  /** Only set for OpenAI. */
  readonly strict?: boolean
}

export interface FormChange {
  /** JSON Pointer in the schema of the arguments. */
  readonly pointer: string
  readonly keyword: string
  readonly kind: string
  readonly message: string
  readonly loosens: boolean
}

export type WriteForm = (offered: OfferedTool) => VendorForm

export type VendorForms = { readonly [Name in Vendor]?: WriteForm }

const projections: Readonly<Record<Vendor, { readonly name: string; readonly schema: readonly string[] }>> = {
  openai: { name: 'openAiTool', schema: ['function', 'parameters'] },
  anthropic: { name: 'anthropicTool', schema: ['input_schema'] },
  gemini: { name: 'geminiTool', schema: ['parametersJsonSchema'] },
  mcp: { name: 'mcpTool', schema: ['inputSchema'] },
}

/** The functions are from the runtime of the project, because the project sends tools in these formats. `root` is an absolute path. */
export async function loadVendorForms(vendors: readonly Vendor[], root: string): Promise<Checked<VendorForms>> {
  const forms: { [Name in Vendor]?: WriteForm } = {}
  for (const vendor of vendors) {
    const { name, schema } = projections[vendor]
    const { value: project, diagnostics } = await loadInstalled('@toolgen/runtime/projections', name, root)
    if (project === undefined) {
      const message = 'The tool formats of vendors are unknown: cannot load `@toolgen/runtime` from the project.'
      const next = 'Install the package in the project: `npm install @toolgen/runtime`.'
      const related = diagnostics.map((cause) => ({ message: cause.message }))
      return { diagnostics: [errorAt(undefined, 'TG0037', message, next, { related })] }
    }
    forms[vendor] = (offered) => {
      const form = Reflect.apply(project, undefined, [offeredSpec(offered)]) as Omit<VendorForm, 'schema'>
      const sent = schema.reduce<Json>((part, key) => (isObject(part) ? (own(part, key) ?? null) : null), form.tool)
      if (isObject(sent)) return { ...form, schema: sent }
      throw new TypeError(`the projection of the installed @toolgen/runtime for ${vendor} returned an invalid tool`)
    }
  }
  return { value: forms, diagnostics: [] }
}

export function declaredTool({ tool, toolset, toolName, as = toolset.name }: OfferedTool): DeclaredTool {
  return {
    toolset: as,
    name: tool.name,
    toolName,
    description: tool.description,
    arguments: closedSchema(tool.arguments, toolset.defs),
    result: closedSchema(tool.result, toolset.defs),
  }
}

function offeredSpec(offered: OfferedTool): object {
  const { tool, toolset } = offered
  return {
    ...declaredTool(offered),
    toolset: toolset.name,
    id: tool.id,
    namespace: toolset.namespace,
    title: tool.title,
    tags: tool.tags,
    examples: tool.examples,
    serverOwned: [],
    annotations: { ...tool.annotations },
    hash: tool.hash,
  }
}

/** Tools that one model receives together: the tools of an agent, or of a toolset that no agent uses. */
export type Offer = { readonly tools: readonly OfferedTool[] } & (
  | { readonly kind: 'agent'; readonly agent: AgentIr }
  | { readonly kind: 'toolset'; readonly toolset: ToolsetIr }
)

export function offersOf({ agents, toolsets }: DesignIr): readonly Offer[] {
  const used = new Set(agents.flatMap(({ uses }) => uses.map(({ toolset }) => toolset)))
  const tools = new Map(
    toolsets.flatMap((toolset) => toolset.tools.map((tool) => [`${toolset.name}.${tool.name}`, { toolset, tool }])),
  )
  return [
    ...agents.map((agent) => ({
      kind: 'agent' as const,
      agent,
      tools: agent.uses.flatMap((use) =>
        use.tools.flatMap(({ tool: name, toolName }) => {
          const declared = tools.get(`${use.toolset}.${name}`)
          return declared === undefined ? [] : [{ ...declared, toolName, as: use.as }]
        }),
      ),
    })),
    ...toolsets
      .filter(({ name }) => !used.has(name))
      .map((toolset) => ({
        kind: 'toolset' as const,
        toolset,
        tools: toolset.tools.map((tool) => ({ toolset, tool, toolName: tool.toolName })),
      })),
  ]
}
