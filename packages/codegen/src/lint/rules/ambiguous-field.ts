import type { Field } from '../scene/fields.js'
import { aboutField, type Rule } from '../scene/rule.js'
import { toolsWith } from '../scene/tools-with.js'
import { saysOnly } from '../scene/words.js'

/** Fields whose names could mean anything, and of which nothing else is said. */
export const ambiguousField: Rule = {
  id: 'ambiguous-field',
  code: 'TG8316',
  next: 'Give it the name of what it holds, or say in its description what that is.',
  examples: {
    bad: `noteCall: defineTool({
  description: 'Keeps what a customer said on the phone.',
  payload: z.object({ data: z.string() }),
  result: z.object({ kept: z.boolean() }),
})`,
    good: `noteCall: defineTool({
  description: 'Keeps what a customer said on the phone.',
  payload: z.object({ summary: z.string().describe('Two or three sentences') }),
  result: z.object({ kept: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, isAmbiguous).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` could be anything: neither ${many ? 'the names nor the descriptions say' : 'the name nor the description says'} what.`,
    })),
}

const vague: ReadonlySet<string> = new Set(
  'data value values val info item items obj object objects param params arg args arguments input payload stuff thing misc extra temp tmp'.split(
    ' ',
  ),
)

/** Whether neither the name of a field nor its description says what it holds: also `id2`, whose `2` means nothing. */
export function isAmbiguous({ name, names, description = '', shape }: Field): boolean {
  // Within an object that has a name of its own, `value` often is the right word.
  if (names.length > 1 || shape.kind === 'literals' || !saysOnly(description, [name])) return false
  return vague.has(name.toLowerCase()) || /^[a-z]+[_-]?[2-9]$/i.test(name)
}
