import { notesIn } from '../../live/described-changes.js'
import { closedSchema } from '../../schema/canonical/closed-schema.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { refusals } from '../inclusion/inclusion.js'
import type { Refusal } from '../inclusion/refusal.js'
import type { Defs } from '../inclusion/spot.js'
import { type ContractChange, newChange, type Subject } from './change.js'

/** A schema with the definitions to which it refers. */
export interface Described {
  readonly schema: Schema
  readonly defs: Defs
}

/** What changed of what is sent to a tool. */
export function payloadChanges(was: Described, is: Described, about: About): readonly ContractChange[] {
  const narrowed = refusals(was.schema, is.schema, { taken: was.defs, taker: is.defs, fields: 'known' })
  const widened = refusals(is.schema, was.schema, { taken: is.defs, taker: was.defs, fields: 'known' })
  const breaking = narrowed.map((refusal) => changeOf(payloadIds(refusal, 'narrowed'), refusal, 'was', about))
  return [
    ...breaking,
    ...notTold(widened, narrowed).map((refusal) => changeOf(payloadIds(refusal, 'widened'), refusal, 'is', about)),
    ...noteChanges('payload', was, is, about),
  ]
}

/** What changed of what a tool answers, at its end or before. */
export function resultChanges(was: Described, is: Described, about: About): readonly ContractChange[] {
  const widened = refusals(is.schema, was.schema, { taken: is.defs, taker: was.defs, fields: 'any' })
  const narrowed = refusals(was.schema, is.schema, { taken: was.defs, taker: is.defs, fields: 'any' })
  const breaking = widened.map((refusal) => changeOf(resultIds(refusal, 'widened'), refusal, 'is', about))
  return [
    ...breaking,
    ...notTold(narrowed, widened).map((refusal) => changeOf(resultIds(refusal, 'narrowed'), refusal, 'was', about)),
    ...noteChanges('result', was, is, about),
  ]
}

/** Whose schema it is, and where the design says it. */
export interface About extends Pick<ContractChange, 'place'> {
  readonly subject: Subject
}

/** What is narrower and wider at one place is another thing: that it is narrower, or wider, says it. */
function notTold(refused: readonly Refusal[], told: readonly Refusal[]): readonly Refusal[] {
  return refused.filter(({ pointer }) => !told.some((other) => other.pointer === pointer))
}

function payloadIds({ aspect }: Refusal, change: 'narrowed' | 'widened'): string {
  const isNarrowed = change === 'narrowed'
  switch (aspect) {
    case 'required':
      return isNarrowed ? 'payload-field-required' : 'payload-field-optional'
    case 'field':
      return isNarrowed ? 'payload-field-removed' : 'payload-field-added'
    case 'unknown-fields':
      return isNarrowed ? 'payload-unknown-fields-refused' : 'payload-unknown-fields-taken'
    case 'js-type':
      return 'payload-js-type-changed'
    default:
      return `payload-${aspect}-${change}`
  }
}

function resultIds({ aspect }: Refusal, change: 'narrowed' | 'widened'): string {
  const isWidened = change === 'widened'
  switch (aspect) {
    case 'required':
      return isWidened ? 'result-field-optional' : 'result-field-required'
    case 'field':
      return isWidened ? 'result-field-removed' : 'result-field-added'
    case 'unknown-fields':
      return `result-rule-${change}`
    case 'js-type':
      return 'result-js-type-changed'
    default:
      return `result-${aspect}-${change}`
  }
}

/** @param taken whose values are taken: those of before, or those of now */
function changeOf(
  rule: string,
  { pointer, taken, taker, sure }: Refusal,
  side: 'was' | 'is',
  { subject, place }: About,
): ContractChange {
  const [was, is] = side === 'was' ? [taken, taker] : [taker, taken]
  return newChange(rule, {
    subject,
    pointer,
    certain: sure,
    ...(was !== undefined && { was }),
    ...(is !== undefined && { is }),
    ...(place !== undefined && { place }),
  })
}

/** What is said otherwise beside the rules. */
function noteChanges(
  side: 'payload' | 'result',
  was: Described,
  is: Described,
  about: About,
): readonly ContractChange[] {
  const found = notesIn(closedSchema(was.schema, was.defs), closedSchema(is.schema, is.defs), '')
  return found.map(({ what, path, ...said }) => {
    const rule = side === 'payload' && what === 'default' ? 'payload-default-changed' : `${side}-described-otherwise`
    return newChange(rule, {
      subject: about.subject,
      pointer: `${path}/${what}`,
      ...(said.was !== undefined && { was: said.was }),
      ...(said.is !== undefined && { is: said.is }),
      ...(about.place !== undefined && { place: about.place }),
    })
  })
}
