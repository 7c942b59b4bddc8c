import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'
import { rules } from './rules/rules.js'
import type { Rule } from './scene/rule.js'
import type { Silence } from './silences.js'

/** What is wrong with an entry that silences nothing; absent where it may well silence something. */
export function silenceFault(
  { rule, where }: Silence,
  { chosen, idle, all }: { readonly chosen: readonly Rule[]; readonly idle: boolean; readonly all: boolean },
): Diagnostic | undefined {
  const ids = rules.map(({ id }) => id)
  if (all && !ids.includes(rule)) {
    const near = nearest(rule, ids)
    return {
      code: 'TG8390',
      severity: 'warning',
      message: `${capital(where)} silences \`${rule}\`, which is no rule.`,
      next: near[0] === undefined ? 'Remove it; docs/lint.md has all rules.' : `Did you mean \`${near[0]}\`?`,
      ...(near.length > 0 && { near }),
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
