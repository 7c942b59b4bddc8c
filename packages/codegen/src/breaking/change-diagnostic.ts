import type { Diagnostic, Severity } from '../diagnostics/diagnostic.js'
import type { ContractChange } from './changes/change.js'
import { changeMessage, namesOf } from './changes/change-message.js'
import type { Impact } from './rules/rule.js'
import { ruleOf } from './rules/rules.js'

const codes: Readonly<Record<Impact, { readonly code: string; readonly severity: Severity }>> = {
  breaking: { code: 'TG8101', severity: 'error' },
  visible: { code: 'TG8102', severity: 'warning' },
  safe: { code: 'TG8103', severity: 'note' },
}

/** A change of which no value shows that it breaks something. It fails the command as well: nothing proves it harmless. */
const uncertain = { code: 'TG8104', severity: 'error' } as const

/** Changes as findings; what changed in a definition is told once for all tools that need it, where the first is told. */
export function changeDiagnostics(changes: readonly ContractChange[]): readonly Diagnostic[] {
  const shared = new Map<string, ContractChange[]>()
  for (const change of changes) {
    const key = sharedKey(change)
    if (key === undefined) continue
    const members = shared.get(key)
    if (members === undefined) shared.set(key, [change])
    else members.push(change)
  }
  return changes.flatMap((change) => {
    const members = shared.get(sharedKey(change) ?? '') ?? []
    const tools = [...new Set(members.flatMap(({ tool }) => tool ?? []))]
    if (tools.length < 2) return [finding(change, change.message)]
    return members[0] === change ? [finding(change, sharedMessage(change, tools))] : []
  })
}

function finding({ rule, severity, certain, place }: ContractChange, message: string): Diagnostic {
  const mayBreak = severity === 'breaking' && !certain
  const { next } = ruleOf(rule)
  return {
    ...(mayBreak ? uncertain : codes[severity]),
    message: `${message} (${rule})`,
    next: mayBreak ? `Compare both schemas by hand. Where something breaks: ${next}` : next,
    ...(place !== undefined && { place }),
  }
}

/** The same text for what is the same change of a definition; `undefined` for what is none. */
function sharedKey({ rule, tool, side, definition, was, is, rename, certain }: ContractChange): string | undefined {
  if (definition === undefined) return undefined
  const toolset = tool?.slice(0, tool.indexOf('.'))
  return JSON.stringify([toolset, side, rule, definition, was, is, rename, certain])
}

function sharedMessage(change: ContractChange, tools: readonly string[]): string {
  const { side = 'arguments', definition } = change
  const within = definition?.pointer === '' ? '' : `${definition?.pointer} of `
  const at = `${within}the definition '${definition?.name}'`
  return changeMessage({ ...change, name: namesOf(side, tools), at })
}
