import type { Vendor } from '../../vendor-forms/vendor-form.js'
import { changeLines, sentLine } from './form-lines.js'
import { aboutTool, type Finding } from './rule.js'
import type { Scene } from './scene.js'

/** The tools that a vendor's API refuses whatever is done to their schemas. */
export function refusedForms({ tools, forms }: Scene, vendor: Vendor): readonly Finding[] {
  const formOf = forms[vendor]
  if (formOf === undefined) return []
  return tools.flatMap((scene): readonly Finding[] => {
    const form = formOf({ ...scene, wireName: scene.tool.wireName })
    const refused = form.changes.filter(({ kind }) => kind === 'fallback')
    const [first] = refused
    if (first === undefined) return []
    const message = `\`${scene.tool.wireName}\` cannot be sent as it is: ${first.message}`
    return [{ about: aboutTool(scene, 'payload'), message, facts: [...changeLines(refused), sentLine(form)], form }]
  })
}
