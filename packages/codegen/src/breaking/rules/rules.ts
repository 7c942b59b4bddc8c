import { agentRules } from './agent-rules.js'
import { partRules } from './part-rules.js'
import { recordedRules } from './recorded-rules.js'
import type { Rule } from './rule.js'
import { schemaRules } from './schema-rules.js'
import { toolCallRules } from './tool-call-rules.js'
import { toolRules } from './tool-rules.js'
import { toolsetRules } from './toolset-rules.js'

/** Every rule by which contracts are compared, in the order of the docs. */
export const rules: readonly Rule[] = [
  ...schemaRules,
  ...partRules,
  ...toolsetRules,
  ...toolRules,
  ...toolCallRules,
  ...agentRules,
  ...recordedRules,
]

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

/** The rule of an id. */
export function ruleOf(id: string): Rule {
  const rule = byId.get(id)
  if (rule === undefined) throw new RangeError(`there is no rule ${id}`)
  return rule
}
