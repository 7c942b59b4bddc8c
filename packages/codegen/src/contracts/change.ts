import { deepEqual } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json } from '../schema/json-schema.js'
import { changedText } from '../schema/notes.js'
import type { DefinitionLocation } from './definitions.js'
import { type Category, type Impact, ruleOf } from './rules.js'

export interface ContractChange extends ChangeSubject {
  readonly rule: string
  readonly category: Category
  readonly severity: Impact
  /** Points into the schema, or into the arguments of a recorded call. */
  readonly pointer?: string
  /** Absent for a change outside of definitions, and if `pointer` leads to different definitions in the two versions. */
  readonly definition?: DefinitionLocation
  readonly before?: Json
  readonly after?: Json
  /** An assumption: the removed and the added tool or field have equal schemas. */
  readonly rename?: Rename
  readonly certain: boolean
  /**
   * Example value that the codec of one schema accepts. The codec of the other schema rejects the value or removes a field. Absent without such a
   * value, and if the value is longer than 1,000 characters of JSON.
   */
  readonly witness?: Json
  readonly message: string
  readonly location?: SourceLocation
}

type Rename = { readonly to: string } | { readonly from: string }

export interface ChangeSubject {
  readonly toolset?: string
  readonly tool?: string
  readonly prompt?: string
  readonly resourceTemplate?: string
  readonly agent?: string
  readonly side?: 'arguments' | 'result' | 'updates' | 'errors' | 'failures'
  readonly status?: string
  readonly failure?: string
}

type ChangeDetails = {
  readonly [Key in 'pointer' | 'definition' | 'before' | 'after' | 'rename' | 'witness' | 'location']?:
    | ContractChange[Key]
    | undefined
}

export function newChange(
  rule: string,
  subject: ChangeSubject,
  details: ChangeDetails & { readonly certain?: boolean } = {},
  ending?: string,
): ContractChange {
  const { category, severity } = ruleOf(rule)
  const change = { rule, category, severity, ...subject, certain: true, ...defined(details) }
  return { ...change, message: changeMessage(change, subjectName(subject), details.pointer, ending) }
}

export function changeMessage(
  { rule, before, after, rename, certain }: Omit<ContractChange, 'message'>,
  subject: string,
  location = '',
  ending: string | undefined = before === undefined && after === undefined
    ? undefined
    : changedText('it', before, after),
): string {
  const { summary, uncertainSummary = summary } = ruleOf(rule)
  const at = location === '' ? '' : `, at ${location}`
  const end = ending === undefined ? '' : `: ${ending}`
  const doubt = certain ? '' : ' The change is uncertain: no value was found that proves it.'
  const other = rename && ('to' in rename ? `to '${rename.to}'` : `from '${rename.from}'`)
  const looks = other === undefined ? '' : ` It was probably renamed ${other}.`
  return `${subject} ${certain ? summary : uncertainSummary}${at}${end}.${doubt}${looks}`
}

const sides = {
  arguments: 'payload',
  result: 'result',
  updates: 'update',
  errors: 'error',
  failures: 'failure',
} as const

function subjectName({ toolset, tool, agent, side, status, failure, prompt, resourceTemplate }: ChangeSubject): string {
  if (status !== undefined) return `The error ${status} of '${tool}'`
  if (failure !== undefined) return `The failure '${failure}' of '${tool}'`
  if (prompt !== undefined) return `The prompt '${prompt}' of '${toolset}'`
  if (resourceTemplate !== undefined) return `The resource template '${resourceTemplate}' of '${toolset}'`
  if (side !== undefined) return `The ${sides[side]} of '${tool}'`
  if (agent !== undefined) return `The agent '${agent}'`
  return tool === undefined ? `The toolset '${toolset}'` : `The tool '${tool}'`
}

const maxNamed = 3

export function sharedSubjectName(side: keyof typeof sides, tools: readonly string[]): string {
  const named = tools.slice(0, tools.length > maxNamed + 1 ? maxNamed : tools.length).map((tool) => `'${tool}'`)
  const others = tools.length - named.length
  const all = others === 0 ? named : [...named, `${others.toLocaleString('en')} other tools`]
  return `The ${sides[side]} of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

export type Compare = (rule: string, before: Json | undefined, after?: Json) => readonly ContractChange[]

export function compareFor(subject: ChangeSubject, location: SourceLocation | undefined): Compare {
  return (rule, before, after) => {
    const isSame = before === undefined || after === undefined ? before === after : deepEqual(before, after)
    return isSame ? [] : [newChange(rule, subject, { location, before, after })]
  }
}
