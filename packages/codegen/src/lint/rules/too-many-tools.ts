import type { Rule } from '../scene/rule.js'

/** What OpenAI advises to stay below, in its guide to function calling. */
const most = 20

/** Agents whose model has to choose among too many tools. */
export const tooManyTools: Rule = {
  id: 'too-many-tools',
  code: 'TG8312',
  next: 'Leave tools out with `only`, or give some of them to an agent of their own and use that with `fromAgent`.',
  examples: {
    bad: `export const shop = defineToolset('shop', {
  description: 'Everything about the shop.',
  tools: Object.fromEntries(
    Array.from({ length: 21 }, (_, index) => [
      \`openAisle\${index}\`,
      defineTool({
        description: \`Walk to aisle \${index} and say what stands there.\`,
        payload: z.object({}),
        result: z.object({ goods: z.string() }),
      }),
    ]),
  ),
})
export const clerk = defineAgent('clerk', { description: 'Knows the shop.', uses: [fromMcp(shop)] })`,
    good: `export const shop = defineToolset('shop', {
  description: 'Everything about the shop.',
  tools: {
    openAisle: defineTool({
      description: 'Walk to an aisle and say what stands there.',
      payload: z.object({ aisle: z.number().int().describe('Which one, counted from the door') }),
      result: z.object({ goods: z.string() }),
    }),
  },
})
export const clerk = defineAgent('clerk', { description: 'Knows the shop.', uses: [fromMcp(shop)] })`,
  },
  check: ({ sights }) =>
    sights.flatMap(({ agent, tools }) => {
      if (agent === undefined || tools.length <= most) return []
      const message = `The model of \`${agent.name}\` chooses among ${tools.length} tools; beyond ${most} models choose worse, and every request pays for all of them.`
      return [{ about: { kind: 'agent', agent: agent.name, path: ['uses'] }, message }]
    }),
}
