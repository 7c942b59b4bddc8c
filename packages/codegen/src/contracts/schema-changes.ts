import { parsePointer } from '@toolgen/runtime/schema'
import { isSchema, type Schema } from '../schema/json-schema.js'
import { type ChangeFacts, type ContractChange, type Definitions, newChange, type Subject } from './change.js'
import { type Candidate, type Renames, renamesOf } from './renames.js'
import type { Refusal } from './schema-view.js'
import type { Shown } from './witness.js'

/** A schema before and now. */
interface Schemas {
  readonly was: Schema
  readonly is: Schema
}

/** What changed of what is sent to a tool. */
export function payloadChanges(schemas: Schemas, definitions: Definitions, about: About): readonly ContractChange[] {
  const { was, is } = schemas
  const { payload } = definitions
  const [narrowed, widened] = [payload.narrowed.refusals(was, is), payload.widened.refusals(is, was)]
  const telling = { about, renames: renamedFields(narrowed, widened, definitions), at: atIn(schemas, definitions) }
  return [
    ...payload.narrowed
      .show({ taken: was, taker: is, all: narrowed, told: narrowed })
      .map((shown) => changeOf(payloadIds(shown, 'narrowed'), shown, 'was', telling)),
    ...payload.widened
      .show({ taken: is, taker: was, all: widened, told: notTold(widened, narrowed) })
      .map((shown) => changeOf(payloadIds(shown, 'widened'), shown, 'is', telling)),
    ...noteChanges('payload', schemas, definitions, about),
  ]
}

/** What changed of what a tool answers, at its end or before. */
export function resultChanges(schemas: Schemas, definitions: Definitions, about: About): readonly ContractChange[] {
  const { was, is } = schemas
  const { result } = definitions
  const [widened, narrowed] = [result.widened.refusals(is, was), result.narrowed.refusals(was, is)]
  const telling = { about, renames: renamedFields(widened, narrowed, definitions), at: atIn(schemas, definitions) }
  return [
    ...result.widened
      .show({ taken: is, taker: was, all: widened, told: widened })
      .map((shown) => changeOf(resultIds(shown, 'widened'), shown, 'is', telling)),
    ...result.narrowed
      .show({ taken: was, taker: is, all: narrowed, told: notTold(narrowed, widened) })
      .map((shown) => changeOf(resultIds(shown, 'narrowed'), shown, 'was', telling)),
    ...noteChanges('result', schemas, definitions, about),
  ]
}

/** Whose schema it is, and where the design says it. */
export interface About extends Pick<ContractChange, 'location'> {
  readonly subject: Subject
}

interface Telling {
  readonly about: About
  readonly renames: Renames
  readonly at: (pointer: string) => Pick<ChangeFacts, 'pointer' | 'definition'>
}

/** Where something is, also in a definition. */
function atIn({ was, is }: Schemas, definitions: Definitions): Telling['at'] {
  return (pointer) => {
    const definition = definitions.at(was, is, pointer)
    return { pointer, ...(definition !== undefined && { definition }) }
  }
}

/** What is narrower and wider at one place is another thing: that it is narrower, or wider, says it. */
function notTold(refused: readonly Refusal[], told: readonly Refusal[]): readonly Refusal[] {
  const pointers = new Set(told.map(({ pointer }) => pointer))
  return refused.filter(({ pointer }) => !pointers.has(pointer))
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

/** Longer witnesses are left out of what is told. */
const longestWitness = 1000

/** What shows a difference. What no value shows may be harmless; that a type is another one in TypeScript needs none. */
export function shownBy({ aspect, witness }: Shown): Pick<ChangeFacts, 'certain' | 'witness'> {
  const isTold = witness !== undefined && JSON.stringify(witness).length <= longestWitness
  return { certain: witness !== undefined || aspect === 'js-type', ...(isTold && { witness }) }
}

/** @param side whose values are taken: those of before, or those of now */
function changeOf(
  rule: string,
  refusal: Shown,
  side: 'was' | 'is',
  { about: { subject, location }, renames, at }: Telling,
): ContractChange {
  const { pointer, taken, taker } = refusal
  const [was, is] = side === 'was' ? [taken, taker] : [taker, taken]
  const [to, from] = [renames.to.get(pointer), renames.from.get(pointer)]
  return newChange(rule, {
    subject,
    ...at(pointer),
    ...shownBy(refusal),
    ...(to !== undefined && { rename: { to: fieldAt(to) } }),
    ...(from !== undefined && { rename: { from: fieldAt(from) } }),
    ...(was !== undefined && { was }),
    ...(is !== undefined && { is }),
    ...(location !== undefined && { location }),
  })
}

/** What is said otherwise beside the rules. */
function noteChanges(
  side: 'payload' | 'result',
  { was, is }: Schemas,
  definitions: Definitions,
  about: About,
): readonly ContractChange[] {
  const at = atIn({ was, is }, definitions)
  return definitions.notes(was, is).map(({ what, path, ...said }) => {
    const rule = side === 'payload' && what === 'default' ? 'payload-default-changed' : `${side}-described-otherwise`
    return newChange(rule, {
      subject: about.subject,
      ...at(`${path}/${what}`),
      ...(said.was !== undefined && { was: said.was }),
      ...(said.is !== undefined && { is: said.is }),
      ...(about.location !== undefined && { location: about.location }),
    })
  })
}

/** The fields that seem to have got another name, each the only one that its object lost and got: by their pointers. */
function renamedFields(gone: readonly Refusal[], added: readonly Refusal[], { isSame }: Definitions): Renames {
  const [lost, got] = [fieldsIn(gone), fieldsIn(added)]
  const single = [...lost].flatMap(([object, fields]) => {
    const [was, is] = [fields, got.get(object) ?? []]
    return was.length === 1 && is.length === 1 ? [{ was, is }] : []
  })
  const found = single.map(({ was, is }) => renamesOf(was, is, [isSame]))
  return {
    to: new Map(found.flatMap(({ to }) => [...to])),
    from: new Map(found.flatMap(({ from }) => [...from])),
  }
}

/** The name of a field, which its pointer ends with. */
function fieldAt(pointer: string): string {
  return parsePointer(pointer)?.at(-1) ?? pointer
}

/** The fields that one side alone has, by their objects. */
function fieldsIn(refusals: readonly Refusal[]): ReadonlyMap<string, readonly Candidate<Schema>[]> {
  const found = new Map<string, Candidate<Schema>[]>()
  for (const { aspect, pointer, taken, taker } of refusals) {
    const schema = taken ?? taker
    if (aspect !== 'field' || !isSchema(schema)) continue
    const object = pointer.slice(0, pointer.lastIndexOf('/'))
    const fields = found.get(object) ?? []
    fields.push({ name: pointer, contract: schema })
    found.set(object, fields)
  }
  return found
}
