import { changedText } from '../../live/changed-text.js'
import { ruleOf } from '../rules/rules.js'
import type { ContractChange, Rename, Subject } from './change.js'

/** What a sentence tells of a change. */
export interface Told extends Pick<ContractChange, 'rule' | 'was' | 'is' | 'rename' | 'certain'> {
  /** Of what it is told; see {@link nameOf} and {@link namesOf}. */
  readonly name: string
  /** Where it is, in words. */
  readonly at?: string
  /** How the sentence ends. Default: what there was and is. */
  readonly told?: string
}

/** All of a change in one sentence. */
export function changeMessage({ rule, was, is, rename, certain, name, at, told }: Told): string {
  const isKnown = was !== undefined || is !== undefined
  const end = told ?? (isKnown ? changedText({ what: 'it', was, is }) : undefined)
  const place = at === undefined || at === '' ? '' : `, at ${at}`
  const doubt = certain ? '' : ' This is uncertain: no value was found that shows it.'
  const { says, maySay = says } = ruleOf(rule)
  return `${name} ${certain ? says : maySay}${place}${end === undefined ? '' : `: ${end}`}.${doubt}${renameText(rename)}`
}

const sides = { arguments: 'payload', result: 'result', updates: 'update' } as const

/** What changed, in words. */
export function nameOf({ toolset, tool, agent, side }: Subject): string {
  if (side !== undefined) return `The ${sides[side]} of '${tool}'`
  if (agent !== undefined) return `The agent '${agent}'`
  return tool === undefined ? `The toolset '${toolset}'` : `The tool '${tool}'`
}

/** How many tools are named before the others are counted. */
const mostNamed = 3

/** A side of several tools, in words. */
export function namesOf(side: Subject['side'] & string, tools: readonly string[]): string {
  const named = tools.slice(0, tools.length > mostNamed + 1 ? mostNamed : tools.length).map((tool) => `'${tool}'`)
  const others = tools.length - named.length
  const all = others === 0 ? named : [...named, `${others.toLocaleString('en')} other tools`]
  return `The ${sides[side]} of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

function renameText(rename: Rename | undefined): string {
  if (rename === undefined) return ''
  return 'to' in rename ? ` It looks renamed to '${rename.to}'.` : ` It looks renamed from '${rename.from}'.`
}
