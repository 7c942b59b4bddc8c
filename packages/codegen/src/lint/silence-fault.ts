import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { nearRules, ruleIds } from './rule-ids.js'
import type { Rule } from './scene/rule.js'
import type { Silence } from './silences.js'

/** What is wrong with an entry that silences nothing; absent where it may well silence something. */
export function silenceFault(
  { rule, where }: Silence,
  { chosen, idle, all }: { readonly chosen: readonly Rule[]; readonly idle: boolean; readonly all: boolean },
): Diagnostic | undefined {
  if (all && !ruleIds.includes(rule)) {
    return {
      code: 'TG8390',
      severity: 'warning',
      message: `${capital(where)} silences \`${rule}\`, which is no rule.`,
      ...nearRules(rule, 'Remove it, or name one of the rules that there are.'),
    }
  }
  if (!idle || !chosen.some(({ id }) => id === rule)) return undefined
  return {
    code: 'TG8391',
    severity: 'warning',
    message: `${capital(where)} silences \`${rule}\`, which finds nothing there.`,
    next: 'Remove it from `lint`, so that the rule is heard when there is something to find.',
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
