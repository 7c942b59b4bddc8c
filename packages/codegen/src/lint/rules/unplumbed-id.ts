import type { Field } from '../scene/fields.js'
import { givenIds, gives } from '../scene/given-ids.js'
import { thingOf } from '../scene/ids.js'
import { aboutField, type Rule } from '../scene/rule.js'
import type { Sight, ToolScene } from '../scene/scene.js'
import { saysOnly } from '../scene/words.js'

/** Ids that a model must send and has nowhere to take from. */
export const unplumbedId: Rule = {
  id: 'unplumbed-id',
  code: 'TG8307',
  next: 'Let a tool of the same agent answer the id, or say in the description where people find it.',
  examples: {
    bad: `getInvoice: defineTool({
  description: 'One invoice with its items and the date on which it is due.',
  payload: z.object({ invoiceId: z.string().describe('The id of the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `findInvoices: defineTool({
  description: 'The last invoices of a customer.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ invoices: z.array(z.object({ invoiceId: z.string(), total: z.number() })).max(20) }),
}),
getInvoice: defineTool({
  description: 'One invoice with its items and the date on which it is due.',
  payload: z.object({ invoiceId: z.string().describe('The id of the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ sights }) =>
    sights.flatMap(unplumbedIn).map(({ scene, field }) => ({
      about: aboutField(scene, field),
      message: `No tool that a model sees beside \`${scene.tool.id}\` answers its \`${field.path}\`, and nothing says where the id comes from.`,
    })),
}

/** The fields of which the rule speaks. */
export function unplumbedFields(sights: readonly Sight[]): ReadonlySet<Field> {
  return new Set(sights.flatMap(unplumbedIn).map(({ field }) => field))
}

function unplumbedIn({ tools }: Sight): readonly { readonly scene: ToolScene; readonly field: Field }[] {
  const given = tools.map(givenIds)
  return tools.flatMap((scene) =>
    scene.fields
      .filter((field) => {
        const thing = field.required && isUnexplained(field, scene) ? thingOf(field, scene) : undefined
        if (thing === undefined || thing === '') return false
        return !given.some((ids) => ids.tool !== scene.tool && gives(ids, field.name, thing))
      })
      .map((field) => ({ scene, field })),
  )
}

/** Whether the description leaves open where the id is found. */
function isUnexplained({ name, description = '' }: Field, { tool }: ToolScene): boolean {
  return saysOnly(description, [name, tool.name, 'id identifier unique string'])
}
