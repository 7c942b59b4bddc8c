import type { Rule } from '../scene/rule.js'

/** Fixed messages that were meant to be filled. */
export const textWithPlaceholder: Rule = {
  id: 'text-with-placeholder',
  code: 'TG8321',
  next: 'Write it as `template`, which is filled from the payload; `text` is sent as it stands.',
  examples: {
    bad: `export const research = defineToolset('research', {
  description: 'Answers that need several sources.',
  tools: {
    ask: defineTool({
      description: 'Looks for an answer in several places.',
      payload: z.object({ question: z.string().describe('A whole question') }),
      result: z.object({ answer: z.string() }),
    }),
  },
})
export const researcher = defineAgent('researcher', {
  description: 'Finds things out.',
  exports: [exportToolset(research, { tools: { ask: { text: 'Find out: {{question}}' } } })],
})`,
    good: `export const research = defineToolset('research', {
  description: 'Answers that need several sources.',
  tools: {
    ask: defineTool({
      description: 'Looks for an answer in several places.',
      payload: z.object({ question: z.string().describe('A whole question') }),
      result: z.object({ answer: z.string() }),
    }),
  },
})
export const researcher = defineAgent('researcher', {
  description: 'Finds things out.',
  exports: [exportToolset(research, { tools: { ask: { template: 'Find out: {{question}}' } } })],
})`,
  },
  check: ({ design }) =>
    design.agents.flatMap(({ name, exports }) =>
      exports.flatMap(({ toolset, tools }, index) =>
        tools.flatMap(({ tool, text }) => {
          const placeholder = /\{\{[^{}]*\}\}/.exec(text ?? '')?.[0]
          if (placeholder === undefined) return []
          const path = ['exports', index, 'tools', tool, 'text']
          const message = `The message for \`${toolset}.${tool}\` has \`${placeholder}\`, which the model reads as it stands.`
          return [{ about: { kind: 'agent' as const, agent: name, path }, message }]
        }),
      ),
    ),
}
