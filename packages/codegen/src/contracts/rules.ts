import { templateFile } from '../files.js'

/** Area that a change affects: generated code and its callers, models, or recorded calls. */
export type Category = 'code' | 'model' | 'recorded'

/**
 * Effect of a change. `breaking`: calls or code that worked may fail. `visible`: models read something else. `safe`: no effect on existing
 * use.
 */
export type Impact = 'breaking' | 'visible' | 'safe'

/** A kind of change of a contract. */
export interface Rule {
  /** Id of the rule, e.g. `payload-field-required`. */
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  /** Description of the change without its subject: `was removed`. */
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

type RuleGroups = Readonly<
  Record<'schemas' | 'toolsets' | 'tools' | 'prompts' | 'agents' | 'recordings', readonly Rule[]>
>

interface RuleTexts extends RuleGroups {
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

/** The rules by their subjects, in the order of the docs. */
export const ruleGroups: RuleGroups = {
  schemas: [...texts.schemas, ...ofAspects],
  toolsets: texts.toolsets,
  tools: texts.tools,
  prompts: texts.prompts,
  agents: texts.agents,
  recordings: texts.recordings,
}

/** All rules, in the order of the docs. */
export const rules: readonly Rule[] = Object.values(ruleGroups).flat()

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

export function ruleOf(id: string): Rule {
  const rule = byId.get(id)
  if (rule === undefined) throw new RangeError(`unknown rule ${id}`)
  return rule
}
