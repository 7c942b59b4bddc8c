import { createHash } from 'node:crypto'
import type { ts } from 'ts-morph'
import type { DesignIr, Schema } from '../ir/types.js'
import { shapeOf } from '../schema/read-shape.js'
import { declarationText } from '../schema/type-text.js'

export interface GeneratedTypes {
  readonly text: string
  readonly names: ReadonlyMap<string, { readonly payload: string; readonly result: string; readonly update?: string }>
}

export function generatedTypes(ir: DesignIr, bound: ReadonlySet<string>): GeneratedTypes {
  const names = new Map<string, { readonly payload: string; readonly result: string; readonly update?: string }>()
  const lines = ir.toolsets.flatMap((toolset) => {
    const tools = toolset.tools.filter(({ id }) => bound.has(id))
    if (tools.length === 0) return []
    const { defs } = toolset
    const owner = stemOf(toolset.name)
    const positions = new Map(Object.keys(defs).map((name, index) => [name, index]))
    const nameOf = (definition: string, form: Form): string => `D${owner}_${positions.get(definition) ?? 'x'}_${form}`
    const declaration = (name: string, schema: Schema, form: Form): string =>
      declarationText(name, shapeOf(schema, defs), { form, nameOf: (definition) => nameOf(definition, form) })
    return [
      ...Object.entries(defs).flatMap(([name, schema]) =>
        (['sent', 'read'] as const).map((form) => declaration(nameOf(name, form), schema, form)),
      ),
      ...tools.flatMap(({ id, payload, result, updates }) => {
        const stem = stemOf(id)
        const named = { payload: `P${stem}`, result: `R${stem}`, update: `U${stem}` }
        const { update: _, ...once } = named
        names.set(id, updates === undefined ? once : named)
        return [
          declaration(named.payload, payload, 'read'),
          declaration(named.result, result, 'sent'),
          ...(updates === undefined ? [] : [declaration(named.update, updates, 'sent')]),
        ]
      }),
    ]
  })
  return { text: `${lines.join('\n')}\nexport {}\n`, names }
}

type Form = 'sent' | 'read'

/** A hash does not depend on the other names of the design. */
function stemOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16)
}

export interface GeneratedToolTypes {
  readonly payload: ts.Type
  readonly result: ts.Type
  readonly update?: ts.Type
}
