import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import type { Json } from '../../schema/json/json-schema.js'
import type { Category, Impact } from '../rules/rule.js'
import { ruleOf } from '../rules/rules.js'
import { changeMessage, nameOf } from './change-message.js'
import type { DefinitionPlace } from './definition-at.js'

/** One way in which contracts differ. */
export interface ContractChange extends Subject {
  /** The id of its rule, e.g. `payload-field-required`. */
  readonly rule: string
  readonly category: Category
  readonly severity: Impact
  /** JSON Pointer into the schema of the side, or into the arguments that were recorded. */
  readonly pointer?: string
  /** Where it is in a definition that tools may share, where both contracts lead to it; absent where it is in none. */
  readonly definition?: DefinitionPlace
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
export interface ChangeFacts
  extends Pick<ContractChange, 'pointer' | 'definition' | 'was' | 'is' | 'rename' | 'witness' | 'place'> {
  readonly subject: Subject
  readonly certain?: boolean
  /** How the sentence ends. Default: what there was and is. */
  readonly told?: string
}

/** A change with all that its rule says of it. */
export function newChange(rule: string, { subject, certain = true, told, ...facts }: ChangeFacts): ContractChange {
  const { category, severity } = ruleOf(rule)
  const { pointer, definition, was, is, rename, witness, place } = facts
  const known = {
    ...(was !== undefined && { was }),
    ...(is !== undefined && { is }),
    ...(rename !== undefined && { rename }),
    certain,
  }
  const message = changeMessage({
    rule,
    ...known,
    name: nameOf(subject),
    ...(pointer !== undefined && { at: pointer }),
    ...(told !== undefined && { told }),
  })
  return {
    rule,
    category,
    severity,
    ...subject,
    ...(pointer !== undefined && { pointer }),
    ...(definition !== undefined && { definition }),
    ...known,
    ...(witness !== undefined && { witness }),
    message,
    ...(place !== undefined && { place }),
  }
}
