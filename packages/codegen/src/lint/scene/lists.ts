import { own } from '../../schema/json/json.js'
import { type Shape, type ShapeField, shapeOf } from '../../schema/shape/shape.js'
import { plainShape } from './fields.js'
import { thingListed } from './ids.js'
import type { ToolScene } from './scene.js'

/** The lists with which a tool that lists something answers: the result itself, or direct fields of it. */
export function listsOf(scene: ToolScene): readonly Extract<Shape, { kind: 'array' }>[] {
  if (thingListed(scene) === undefined) return []
  const { tool, toolset } = scene
  const result = plainShape(shapeOf(tool.result, toolset.defs), toolset.defs)
  const places = result.kind === 'object' ? result.fields.map(({ shape }) => plainShape(shape, toolset.defs)) : [result]
  return places.filter((shape) => shape.kind === 'array')
}

/** Of those lists the ones whose entries are objects with named fields. */
export function listedObjects(scene: ToolScene): readonly { readonly fields: readonly ShapeField[] }[] {
  return listsOf(scene).flatMap(({ items }) => {
    const entry = plainShape(items, scene.toolset.defs)
    return entry.kind === 'object' && entry.fields.length > 0 ? [entry] : []
  })
}

/** Whether a list says how many entries it has at most. */
export function isBounded({ schema }: Shape): boolean {
  return own(schema, 'maxItems') !== undefined
}
