import type { DesignIr, Schema, ToolIr, ToolsetIr } from '../../ir/types.js'
import { shapeOf } from '../../schema/shape/shape.js'
import { declarationText } from '../../schema/shape/type-text.js'

/** The types of a bound tool, by the names they have in the text of {@link GeneratedTypes}. */
export interface GeneratedTypeNames {
  readonly payload: string
  readonly result: string
  /** There where the tool streams. */
  readonly update?: string
}

/** A module with the types that the generated code will have, for the checker to compare with the client's. */
export interface GeneratedTypes {
  readonly text: string
  /** By tool id. */
  readonly names: ReadonlyMap<string, GeneratedTypeNames>
}

/** Writes the types of all tools that are bound to a service. */
export function generatedTypes(ir: DesignIr): GeneratedTypes {
  const bound = new Set(
    ir.agents.flatMap(({ uses }) => uses.flatMap((use) => use.tools.map(({ tool }) => `${use.toolset}.${tool}`))),
  )
  const names = new Map<string, GeneratedTypeNames>()
  const lines: string[] = []
  ir.toolsets.forEach((toolset, index) => {
    const tools = toolset.tools.filter(({ id }) => bound.has(id))
    if (tools.length === 0) return
    lines.push(...definitionLines(toolset, index))
    for (const tool of tools) lines.push(...toolLines(tool, toolset, index, names))
  })
  return { text: `${lines.join('\n')}\nexport {}\n`, names }
}

function nameIn(toolset: ToolsetIr, index: number, form: 'sent' | 'read'): (definition: string) => string {
  const known = new Map(Object.keys(toolset.defs).map((name, at) => [name, at]))
  return (definition) => `D${index}_${known.get(definition) ?? 'x'}_${form}`
}

function definitionLines(toolset: ToolsetIr, index: number): readonly string[] {
  return Object.entries(toolset.defs).flatMap(([name, schema]) =>
    (['sent', 'read'] as const).map((form) => {
      const nameOf = nameIn(toolset, index, form)
      return declarationText(nameOf(name), shapeOf(schema, toolset.defs), { form, nameOf })
    }),
  )
}

function toolLines(
  tool: ToolIr,
  toolset: ToolsetIr,
  index: number,
  names: Map<string, GeneratedTypeNames>,
): readonly string[] {
  const [payload, result, update] = [`P${names.size}`, `R${names.size}`, `U${names.size}`]
  names.set(tool.id, { payload, result, ...(tool.updates === undefined ? {} : { update }) })
  const declaration = (name: string, schema: Schema, form: 'sent' | 'read'): string =>
    declarationText(name, shapeOf(schema, toolset.defs), { form, nameOf: nameIn(toolset, index, form) })
  return [
    declaration(payload, tool.payload, 'read'),
    declaration(result, tool.result, 'sent'),
    ...(tool.updates === undefined ? [] : [declaration(update, tool.updates, 'sent')]),
  ]
}
