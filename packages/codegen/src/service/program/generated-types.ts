import { createHash } from 'node:crypto'
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

/**
 * Writes the types of tools that are bound to a service.
 *
 * @param bound the ids of the tools
 */
export function generatedTypes(ir: DesignIr, bound: ReadonlySet<string>): GeneratedTypes {
  const names = new Map<string, GeneratedTypeNames>()
  const lines: string[] = []
  for (const toolset of ir.toolsets) {
    const tools = toolset.tools.filter(({ id }) => bound.has(id))
    if (tools.length === 0) continue
    lines.push(...definitionLines(toolset))
    for (const tool of tools) lines.push(...toolLines(tool, toolset, names))
  }
  return { text: `${lines.join('\n')}\nexport {}\n`, names }
}

function nameIn(toolset: ToolsetIr, form: 'sent' | 'read'): (definition: string) => string {
  const known = new Map(Object.keys(toolset.defs).map((name, at) => [name, at]))
  const stem = stemOf(toolset.name)
  return (definition) => `D${stem}_${known.get(definition) ?? 'x'}_${form}`
}

function definitionLines(toolset: ToolsetIr): readonly string[] {
  return Object.entries(toolset.defs).flatMap(([name, schema]) =>
    (['sent', 'read'] as const).map((form) => {
      const nameOf = nameIn(toolset, form)
      return declarationText(nameOf(name), shapeOf(schema, toolset.defs), { form, nameOf })
    }),
  )
}

function toolLines(tool: ToolIr, toolset: ToolsetIr, names: Map<string, GeneratedTypeNames>): readonly string[] {
  const stem = stemOf(tool.id)
  const [payload, result, update] = [`P${stem}`, `R${stem}`, `U${stem}`]
  names.set(tool.id, { payload, result, ...(tool.updates === undefined ? {} : { update }) })
  const declaration = (name: string, schema: Schema, form: 'sent' | 'read'): string =>
    declarationText(name, shapeOf(schema, toolset.defs), { form, nameOf: nameIn(toolset, form) })
  return [
    declaration(payload, tool.payload, 'read'),
    declaration(result, tool.result, 'sent'),
    ...(tool.updates === undefined ? [] : [declaration(update, tool.updates, 'sent')]),
  ]
}

/** A name's part of an identifier; it does not depend on what else is in the design. */
function stemOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16)
}
