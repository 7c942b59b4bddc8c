import { templateFile } from '../files.js'

/** Area that a change affects: generated code and its callers, models, or recorded calls. */
export type Category = 'code' | 'model' | 'recorded'

/** Names of the affected people, programs or data by category, as texts for developers use them. */
export const affectedBy: Readonly<Record<Category, string>> = {
  code: 'callers of generated code',
  model: 'models',
  recorded: 'recorded calls',
}

/** `breaking`: something that worked fails. `visible`: models read something else. `safe`: no effect on existing use. */
export type Impact = 'breaking' | 'visible' | 'safe'

/** A kind of change of a contract. */
export interface Rule {
  /** Id of the rule, e.g. `payload-field-required`. */
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  /** Changed part of the contract, as the subject of `summary`: `The toolset`. */
  readonly subject: string
  /** The change without its subject: `was removed`. */
  readonly summary: string
  /**
   * Description of a change that no example value proves, without its subject: `may reject values`. Absent for a rule whose changes are
   * always proven.
   */
  readonly uncertainSummary?: string
  /** Consequences of the change. */
  readonly why: string
  /** Advice for a developer who makes this change. */
  readonly next: string
}

interface AspectTexts {
  readonly aspect: string
  readonly phrase: string
  readonly proof: string
}

type Group = 'schemas' | 'toolsets' | 'tools' | 'prompts' | 'agents' | 'recordings'

/** A rule in the file of texts. Without `subject`, the rule has the subject of its group. */
type RuleText = Omit<Rule, 'subject'> & Partial<Pick<Rule, 'subject'>>

interface RuleTexts extends Readonly<Record<Group, readonly RuleText[]>> {
  readonly aspects: readonly AspectTexts[]
  readonly ofEachAspect: readonly Required<Omit<Rule, 'subject'>>[]
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

/** The rules by the part of the contract that they compare, in the order of the docs. */
export const ruleGroups: Readonly<Record<Group, readonly Rule[]>> = {
  schemas: withSubject([...texts.schemas, ...ofAspects], (id) =>
    id.startsWith('payload-') ? 'The payload' : 'The result',
  ),
  toolsets: withSubject(texts.toolsets, () => 'The toolset'),
  tools: withSubject(texts.tools, () => 'The tool'),
  prompts: withSubject(texts.prompts, (id) => (id.startsWith('prompt-') ? 'The prompt' : 'The resource template')),
  agents: withSubject(texts.agents, () => 'The agent'),
  recordings: withSubject(texts.recordings, () => 'The payload'),
}

/** All rules, in the order of the docs. */
export const rules: readonly Rule[] = Object.values(ruleGroups).flat()

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

export function ruleOf(id: string): Rule {
  const rule = byId.get(id)
  if (rule === undefined) throw new RangeError(`unknown rule ${id}`)
  return rule
}
