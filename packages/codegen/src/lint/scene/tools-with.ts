import type { Field } from './fields.js'
import { listed } from './rule.js'
import type { ToolScene } from './scene.js'

/** Every tool with those of its fields that meet a condition, where there are any. */
export function toolsWith(
  tools: readonly ToolScene[],
  isMeant: (field: Field, scene: ToolScene) => boolean,
): readonly { readonly scene: ToolScene; readonly first: Field; readonly names: string; readonly many: boolean }[] {
  return tools.flatMap((scene) => {
    const fields = scene.fields.filter((field) => isMeant(field, scene))
    const [first] = fields
    if (first === undefined) return []
    return [{ scene, first, names: listed(fields.map(({ path }) => path)), many: fields.length > 1 }]
  })
}
