import type { ImportKind } from '../imports/imported-files.js'
import type { AgentIr, DesignIr, ToolIr, ToolsetIr } from '../ir/types.js'
import type { Vendor } from '../load/toolgen-config.js'
import { offersOf, type VendorForm, type VendorForms } from '../tokens/vendor-forms.js'
import { type Field, fieldsOf } from './fields.js'

export interface Rule {
  readonly id: string
  readonly code: string
  readonly next: string
  readonly vendor?: Vendor
  readonly check: (context: LintContext) => readonly LintDiagnostic[]
}

export interface LintDiagnostic {
  readonly subject: Subject
  readonly message: string
  readonly facts?: readonly string[]
  readonly form?: VendorForm
}

/** `path` leads to the affected property of the tool, toolset or agent, for example `['description']`. */
export type Subject =
  | {
      readonly kind: 'tool'
      readonly toolset: string
      readonly tool: string
      readonly path?: readonly (string | number)[]
      readonly field?: Field
    }
  | { readonly kind: 'toolset'; readonly toolset: string; readonly path?: readonly (string | number)[] }
  | { readonly kind: 'agent'; readonly agent: string; readonly path?: readonly (string | number)[] }

export interface LintContext {
  readonly design: DesignIr
  /** Does not contain imported tools that no agent uses. */
  readonly tools: readonly LintTool[]
  /** One list for each agent, and one list for each hand-written toolset that no agent uses. */
  readonly toolLists: readonly ToolList[]
  readonly forms: VendorForms
}

export interface LintTool {
  readonly toolset: ToolsetIr
  readonly tool: ToolIr
  readonly fields: readonly Field[]
  readonly resultFields: readonly Field[]
}

export interface ToolList {
  readonly agent?: AgentIr
  readonly tools: readonly ListedTool[]
}

export interface ListedTool extends LintTool {
  readonly toolName: string
}

export function lintContext(design: DesignIr, forms: VendorForms): LintContext {
  const offers = offersOf(design).filter((offer) => offer.kind === 'agent' || importKindOf(offer.toolset) === undefined)
  const offered = new Set(offers.flatMap(({ tools }) => tools.map(({ tool }) => tool)))
  const tools = new Map<ToolIr, LintTool>()
  for (const toolset of design.toolsets) {
    const isImported = importKindOf(toolset) !== undefined
    for (const tool of toolset.tools) {
      if (isImported && !offered.has(tool)) continue
      const [fields, resultFields] = [fieldsOf(tool.arguments, toolset.defs), fieldsOf(tool.result, toolset.defs)]
      tools.set(tool, { toolset, tool, fields, resultFields })
    }
  }
  const toolLists = offers.map((offer) => ({
    ...(offer.kind === 'agent' && { agent: offer.agent }),
    tools: offer.tools.flatMap(({ tool, toolName }) => {
      const known = tools.get(tool)
      return known === undefined ? [] : [{ ...known, toolName }]
    }),
  }))
  return { design, tools: [...tools.values()], toolLists, forms }
}

export type ForeignKind = Exclude<ImportKind, 'module'>

/** Also returns `undefined` for a toolset that `toolgen import module` wrote. */
export function importKindOf({ mcp, imported }: ToolsetIr): ForeignKind | undefined {
  return imported ?? (mcp === undefined ? undefined : 'mcp')
}

export function toolSubject({ tool, toolset }: LintTool, ...path: readonly string[]): Subject {
  return { kind: 'tool', toolset: toolset.name, tool: tool.name, ...(path.length > 0 && { path }) }
}

export function fieldSubject({ tool, toolset }: LintTool, field: Field): Subject {
  return { kind: 'tool', toolset: toolset.name, tool: tool.name, field }
}

export function reportTools<Tool extends LintTool>(
  tools: readonly Tool[],
  path: readonly string[],
  message: (tool: Tool) => string | undefined,
): readonly LintDiagnostic[] {
  return tools.flatMap((tool) => {
    const text = message(tool)
    return text === undefined ? [] : [{ subject: toolSubject(tool, ...path), message: text }]
  })
}

export function reportFields(
  tools: readonly LintTool[],
  isMatch: (field: Field, tool: LintTool) => boolean,
  message: (names: string, id: string, many: boolean) => string,
): readonly LintDiagnostic[] {
  return tools.flatMap((tool) => {
    const fields = tool.fields.filter((field) => isMatch(field, tool))
    const [first] = fields
    if (first === undefined) return []
    const names = namesList(fields.map(({ label }) => label))
    return [{ subject: fieldSubject(tool, first), message: message(names, `\`${tool.tool.id}\``, fields.length > 1) }]
  })
}

export function namesList(names: readonly string[]): string {
  const shown = names.slice(0, 6).map((name) => `\`${name}\``)
  const left = names.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ')
}
