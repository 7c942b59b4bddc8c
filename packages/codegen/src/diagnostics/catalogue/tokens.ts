import type { Catalogue } from './catalogue-entry.js'

/** What `toolgen tokens` reports. */
export const tokensCatalogue: Catalogue = {
  TG8501: {
    title: 'A tool is larger than its budget',
    cause:
      'What a model is told of the tool has more tokens than `tokens.perTool` of the configuration, or --per-tool, allows. ' +
      'Every request of every agent that uses the tool carries it. The finding lists the dearest parts.',
    fix: 'Shorten descriptions, leave out fields that nobody sends, say repeated parts once as a definition; or raise the budget:\n\n    tokens: { perTool: 800 }',
  },
  TG8502: {
    title: 'The tools of an agent are larger than their budget',
    cause:
      'What a model is told of all tools of the agent has more tokens than `tokens.perAgent` of the configuration, or ' +
      '--budget, allows. Every request carries it.',
    fix: 'Leave tools out with `only`, give some to an agent of their own, shorten the dearest; or raise the budget:\n\n    tokens: { perAgent: 6_000 }',
  },
}
