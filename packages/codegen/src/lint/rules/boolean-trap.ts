import type { Field } from '../scene/fields.js'
import { aboutField, type Rule } from '../scene/rule.js'
import { toolsWith } from '../scene/tools-with.js'
import { saysOnly, wordsOf } from '../scene/words.js'

/** Flags of which one cannot tell what true means. */
export const booleanTrap: Rule = {
  id: 'boolean-trap',
  code: 'TG8317',
  next: 'Make it an enum of the choices, or a flag whose name says what is true of it (`includeDrafts`).',
  examples: {
    bad: `exportOrders: defineTool({
  description: 'Writes the orders of a month to a file.',
  payload: z.object({ format: z.boolean().describe('The format') }),
  result: z.object({ file: z.string() }),
})`,
    good: `exportOrders: defineTool({
  description: 'Writes the orders of a month to a file.',
  payload: z.object({ format: z.enum(['csv', 'json']).describe('What the file holds') }),
  result: z.object({ file: z.string() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, isTrap).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` ${many ? 'are flags' : 'is a flag'}, and nothing says what true means.`,
    })),
}

const nouns: ReadonlySet<string> = new Set(
  'type mode status state format kind level direction order sort priority choice option setting flag switch unit language'.split(
    ' ',
  ),
)

/** Whether a field is a flag that is called like a choice, or like the opposite of what it does, without an explanation. */
export function isTrap({ name, description = '', shape }: Field): boolean {
  if (shape.kind !== 'boolean' || /\b(?:true|false|if|whether|when|set)\b/i.test(description)) return false
  const words = wordsOf(name)
  if (nouns.has(words.at(-1) ?? '')) return true
  return ['no', 'not', 'dont'].includes(words[0] ?? '') && saysOnly(description, [name])
}
