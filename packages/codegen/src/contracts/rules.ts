import { templateFile } from '../files.js'

export type Category = 'code' | 'model' | 'recorded'

export const affectedBy: Readonly<Record<Category, string>> = {
  code: 'callers of generated code',
  model: 'models',
  recorded: 'recorded calls',
}

/** `breaking`: existing use fails. `visible`: models receive changed texts. `safe`: existing use is not affected. */
export type Impact = 'breaking' | 'visible' | 'safe'

export interface Rule {
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  readonly subject: string
  readonly summary: string
  readonly uncertainSummary?: string
  readonly why: string
  readonly next: string
}

interface AspectTexts {
  readonly aspect: string
  readonly phrase: string
  readonly proof: string
}

type Group = 'schemas' | 'toolsets' | 'tools' | 'prompts' | 'agents' | 'recordings'

type RuleText = Omit<Rule, 'subject'> & Partial<Pick<Rule, 'subject'>>

interface RuleTexts extends Readonly<Record<Group, readonly RuleText[]>> {
  readonly aspects: readonly AspectTexts[]
  readonly ofEachAspect: readonly Required<Rule>[]
}

const texts: RuleTexts = JSON.parse(templateFile('diff-rules.json'))

const ofAspects = texts.aspects.flatMap(({ aspect, phrase, proof }) => {
  const filled = (text: string): string =>
    text.replaceAll('{aspect}', aspect).replaceAll('{phrase}', phrase).replaceAll('{proof}', proof)
  return texts.ofEachAspect.map((rule) => ({
    ...rule,
    id: filled(rule.id),
    summary: filled(rule.summary),
    uncertainSummary: filled(rule.uncertainSummary),
    why: filled(rule.why),
  }))
})

function withSubject(rules: readonly RuleText[], subjectOf: (id: string) => string): readonly Rule[] {
  return rules.map((rule) => ({ subject: subjectOf(rule.id), ...rule }))
}

export const ruleGroups: Readonly<Record<Group, readonly Rule[]>> = {
  schemas: withSubject([...texts.schemas, ...ofAspects], (id) =>
    id.startsWith('payload-') ? 'The payload' : 'The result',
  ),
  toolsets: withSubject(texts.toolsets, () => 'The toolset'),
  tools: withSubject(texts.tools, () => 'The tool'),
  prompts: withSubject(texts.prompts, (id) =>
    id.startsWith('prompt-') ? 'The MCP prompt' : 'The MCP resource template',
  ),
  agents: withSubject(texts.agents, () => 'The agent'),
  recordings: withSubject(texts.recordings, () => 'The payload'),
}

export const rules: readonly Rule[] = Object.values(ruleGroups).flat()

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

export function ruleOf(id: string): Rule {
  const rule = byId.get(id)
  if (rule === undefined) throw new RangeError(`unknown rule ${id}`)
  return rule
}
