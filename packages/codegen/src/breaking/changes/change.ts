import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import { changedText } from '../../live/changed-text.js'
import type { Json } from '../../schema/json/json-schema.js'
import type { Category, Impact } from '../rules/rule.js'
import { ruleOf } from '../rules/rules.js'

/** One way in which contracts differ. */
export interface ContractChange extends Subject {
  /** The id of its rule, e.g. `payload-field-required`. */
  readonly rule: string
  readonly category: Category
  readonly severity: Impact
  /** JSON Pointer into the schema of the side, or into the arguments that were recorded. */
  readonly pointer?: string
  /** What there was; absent where there was nothing. */
  readonly was?: Json
  /** What there is; absent where there is nothing. */
  readonly is?: Json
  /** Its name before or now, where it seems to have been renamed: nothing else of it changed, and nothing else fits. */
  readonly rename?: Rename
  /** False where it could not be ruled out that something changed for values, and no value was found that shows it. */
  readonly certain: boolean
  /** A value of the schema of the side that one of both contracts takes and the other does not, by their codecs. */
  readonly witness?: Json
  /** All of it in one sentence. */
  readonly message: string
  /** Where the design says it; absent where the design says nothing of it any more. */
  readonly place?: SourcePlace
}

/** The other name of what is gone under one name and new under another. */
export type Rename = { readonly to: string } | { readonly from: string }

/** What changed. */
export interface Subject {
  readonly toolset?: string
  /** `toolset.tool` */
  readonly tool?: string
  readonly agent?: string
  readonly side?: 'arguments' | 'result' | 'updates'
}

/** What is known of a change. */
export interface ChangeFacts extends Pick<ContractChange, 'pointer' | 'was' | 'is' | 'rename' | 'witness' | 'place'> {
  readonly subject: Subject
  readonly certain?: boolean
  /** How the sentence ends. Default: what there was and is. */
  readonly told?: string
}

/** A change with all that its rule says of it. */
export function newChange(rule: string, { subject, certain = true, told, ...facts }: ChangeFacts): ContractChange {
  const { category, severity, says } = ruleOf(rule)
  const at = facts.pointer === undefined || facts.pointer === '' ? '' : `, at ${facts.pointer}`
  const isKnown = facts.was !== undefined || facts.is !== undefined
  const values = isKnown ? changedText({ what: 'it', was: facts.was, is: facts.is }) : undefined
  const end = told ?? values
  const { pointer, was, is, rename, witness, place } = facts
  const doubt = certain ? '' : ' No value was found that shows it.'
  const message = `${nameOf(subject)} ${says}${at}${end === undefined ? '' : `: ${end}`}.${doubt}${renameText(rename)}`
  return {
    rule,
    category,
    severity,
    ...subject,
    ...(pointer !== undefined && { pointer }),
    ...(was !== undefined && { was }),
    ...(is !== undefined && { is }),
    ...(rename !== undefined && { rename }),
    certain,
    ...(witness !== undefined && { witness }),
    message,
    ...(place !== undefined && { place }),
  }
}

const sides = { arguments: 'payload', result: 'result', updates: 'update' } as const

function nameOf({ toolset, tool, agent, side }: Subject): string {
  if (side !== undefined) return `The ${sides[side]} of '${tool}'`
  if (agent !== undefined) return `The agent '${agent}'`
  return tool === undefined ? `The toolset '${toolset}'` : `The tool '${tool}'`
}

function renameText(rename: Rename | undefined): string {
  if (rename === undefined) return ''
  return 'to' in rename ? ` It looks renamed to '${rename.to}'.` : ` It looks renamed from '${rename.from}'.`
}
