import type {
  AgentIr,
  AgentUseIr,
  DesignIr,
  ExportIr,
  MetaPath,
  Schema,
  ToolIr,
  ToolsetIr,
  UseIr,
} from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { typeText } from '../schema/type-text.js'
import { byCodePoint, propertyNameText, stringText } from '../text.js'
import type { GeneratedFile } from './generated-file.js'
import { isInheritedName } from './layout.js'

/** @throws {Error} when the design has no such toolset, which the rules of designs prevent */
export function toolsetOf(design: DesignIr, name: string): ToolsetIr {
  const toolset = design.toolsets.find((candidate) => candidate.name === name)
  if (toolset === undefined) throw new Error(`The design has no toolset '${name}'.`)
  return toolset
}

/** @throws {Error} when the toolset has no such tool */
export function toolOf(toolset: ToolsetIr, name: string): ToolIr {
  const tool = toolset.tools.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`The toolset '${toolset.name}' has no tool '${name}'.`)
  return tool
}

/** Returns the tools of a toolset that a use selects. */
export function usedTools(design: DesignIr, use: Pick<UseIr, 'toolset' | 'tools'>): readonly ToolIr[] {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.map(({ tool }) => toolOf(toolset, tool))
}

/**
 * Returns the export that serves a use, and its agent.
 *
 * @throws {Error} when the agent does not export the toolset, which the rules of designs prevent
 */
export function exportOf(design: DesignIr, use: AgentUseIr): ExportIr & { readonly agent: AgentIr } {
  const agent = design.agents.find(({ name }) => name === use.agent)
  const exported = agent?.exports.find(({ toolset }) => toolset === use.toolset)
  if (agent === undefined || exported === undefined)
    throw new Error(`The agent '${use.agent}' does not export '${use.toolset}'.`)
  return { ...exported, agent }
}

/** The meta fields that the runtime fills for each call of a nested run. */
const filledByRuns: ReadonlySet<MetaPath> = new Set(['runId', 'toolCallId', 'parentToolCallId'])

/**
 * Returns the meta fields that the agents need which export a toolset, for their tools at any depth. A call of the toolset
 * passes them down, so its caller must give them. Sorted; empty for a toolset that no agent exports. Tools that the
 * application adds to an agent are not in the design: the runtime looks for their fields.
 */
export function nestedNeeds(design: DesignIr, toolset: string): readonly MetaPath[] {
  const found = new Set<MetaPath>()
  const seen = new Set<string>()
  const visit = (exported: string): void => {
    if (seen.has(exported)) return
    seen.add(exported)
    for (const agent of design.agents) {
      if (agent.exports.every((offer) => offer.toolset !== exported)) continue
      for (const use of agent.uses) {
        for (const { serverOwned } of usedTools(design, use)) for (const { from } of serverOwned) found.add(from)
        if (use.provider === 'agent') visit(use.toolset)
      }
    }
  }
  visit(toolset)
  return [...found].filter((field) => !filledByRuns.has(field)).sort(byCodePoint)
}

/** Checks whether a tool of a use must be confirmed before it runs. */
export function needsApproval(use: UseIr, design: DesignIr): boolean {
  return usedTools(design, use).some(({ confirmation }) => confirmation !== undefined)
}

/** Returns the path of a file of a toolset, without its extension. */
export function toolsetModule({ names }: ToolsetIr, file: string): { readonly generated: string } {
  return { generated: `toolsets/${names.folder}/${file}` }
}

/** Checks whether `{}` is a tool's arguments. */
export function acceptsNoArguments(tool: ToolIr, toolset: ToolsetIr): boolean {
  const shape = shapeOf(tool.arguments, toolset.defs)
  if (shape.kind !== 'object') return false
  // `{}` has a `toString`, which is not a value of an optional field of that name.
  if (shape.fields.some((field) => isInheritedName(field.name))) return false
  return shape.fields.every((field) => !field.required || field.default !== undefined)
}

/** Returns the type of what a tool's payload codec yields: the payload, before its server-owned fields are filled. */
export function decodedType(tool: ToolIr, types: string, file: GeneratedFile): string {
  const payload = `${types}.${tool.names.payload}`
  if (tool.serverOwned.length === 0) return payload
  return `${file.type('Unfilled')}<${payload}, ${literalUnion(tool.serverOwned.map(({ field }) => field))}>`
}

/**
 * Returns the meta fields that a call of a tool needs, as a union; `never` if it needs none.
 *
 * @param nested the fields that the agents need which serve the toolset
 */
export function needsType(tool: ToolIr, nested: readonly MetaPath[]): string {
  return literalUnion([...tool.serverOwned.map(({ from }) => from), ...nested]) || 'never'
}

function literalUnion(texts: readonly string[]): string {
  return [...new Set(texts)].sort(byCodePoint).map(stringText).join(' | ')
}

/** Returns the properties by which an application passes the payload schemas again that refine more than JSON Schema. */
export function checkMembers(tools: readonly ToolIr[], file: GeneratedFile): readonly string[] {
  return tools
    .filter(({ needsCheck }) => needsCheck)
    .map(({ name }) => `readonly ${propertyNameText(name)}: ${file.type('StandardCheck')}`)
}

/** The two forms of a type: of a value that is sent, and of the value that is read from it. */
export type Form = 'sent' | 'read'

/** The shared definitions of a toolset as types. */
export interface Definitions {
  /** Returns the name of a definition's type in a form; both forms share a name where they do not differ. */
  nameOf(definition: string, form: Form): string
  /** Checks whether a type is written differently in the two forms. */
  differs(shape: Shape): boolean
  readonly shapes: ReadonlyMap<string, Shape>
}

/** Reads the definitions of a toolset and finds the ones that need two types. */
export function readDefinitions(toolset: ToolsetIr): Definitions {
  const shapes = new Map(
    Object.entries(toolset.defs).map(([name, schema]): [string, Shape] => [
      name,
      // A definition that consists of itself allows everything, and TypeScript has no other type for it.
      reachesItself(name, toolset.defs) ? { kind: 'unknown', schema: {} } : shapeOf(schema, toolset.defs),
    ]),
  )
  const twofold = new Set<string>()
  const differs = (shape: Shape): boolean =>
    formsDiffer(shape) || [...referencesOf(shape)].some((name) => twofold.has(name))
  for (let before = -1; before !== twofold.size; ) {
    before = twofold.size
    for (const [name, shape] of shapes) if (differs(shape)) twofold.add(name)
  }
  const nameOf = (definition: string, form: Form): string => {
    const names = Object.hasOwn(toolset.names.defs, definition) ? toolset.names.defs[definition] : undefined
    if (names === undefined) return 'unknown'
    return twofold.has(definition) ? names[form] : names.sent
  }
  return { nameOf, differs, shapes }
}

/** Returns the definitions that a type refers to directly. */
export function referencesOf(shape: Shape): ReadonlySet<string> {
  const names = new Set<string>()
  typeText(shape, { form: 'read', nameOf: (name) => names.add(name) && name })
  return names
}

function formsDiffer(shape: Shape): boolean {
  const nameOf = (name: string): string => name
  return typeText(shape, { form: 'sent', nameOf }) !== typeText(shape, { form: 'read', nameOf })
}

/** Checks whether an alias of a definition would be circular: it reaches itself without an object or an array between. */
function reachesItself(name: string, defs: Readonly<Record<string, Schema>>): boolean {
  const seen = new Set<string>()
  const visit = (shape: Shape): boolean => {
    if (shape.kind === 'union') return shape.variants.some(visit)
    if (shape.kind === 'intersection') return shape.parts.some(visit)
    if (shape.kind !== 'ref') return false
    if (shape.name === name) return true
    const target = Object.hasOwn(defs, shape.name) ? defs[shape.name] : undefined
    if (target === undefined || seen.has(shape.name)) return false
    seen.add(shape.name)
    return visit(shapeOf(target, defs))
  }
  return visit(shapeOf(defs[name] ?? true, defs))
}
