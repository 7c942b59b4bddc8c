import { parsePointer } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import { own, type Schema } from '../schema/json-schema.js'
import { type ChangeSubject, type ContractChange, compareFor, newChange } from './change.js'
import type { ToolContract } from './contracts.js'
import type { Definitions } from './definitions.js'
import type { Aspect, Mismatch } from './mismatch.js'
import { renamedFields } from './renames.js'
import type { WitnessedMismatch } from './witness.js'

export type KeyRules = readonly (readonly [key: string, rule: string])[]

const toolRules: KeyRules = [
  ['toolName', 'tool-name-changed'],
  ['title', 'tool-title-changed'],
  ['description', 'tool-described-otherwise'],
  ['examples', 'tool-examples-changed'],
  ['callHint', 'tool-hints-changed'],
  ['resultHint', 'tool-hints-changed'],
  ['tags', 'tool-tags-changed'],
  ['annotations', 'tool-annotations-changed'],
  ['defaultLayers', 'tool-default-layers-changed'],
  ['maxResult', 'tool-max-result-changed'],
]

export function toolChanges(
  before: ToolContract,
  after: ToolContract,
  definitions: Definitions,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const subject = { tool: after.id }
  const compare = compareFor(subject, location)
  const ofSchema = (rules: 'payload' | 'result', was: Schema, is: Schema, side: 'arguments' | 'result' | 'updates') =>
    schemaChanges(rules, was, is, definitions, { ...subject, side }, location)
  const withoutValues = (rule: string): readonly ContractChange[] => [newChange(rule, subject, { location })]
  const [oldConfirmation, newConfirmation] = [own(before.about, 'confirmation'), own(after.about, 'confirmation')]
  const confirmation = oldConfirmation === undefined ? 'added' : newConfirmation === undefined ? 'removed' : 'changed'
  const [neededCheck, needsCheck] = [before, after].map(({ about }) => own(about, 'needsCheck') === true)
  const streaming = (): readonly ContractChange[] => {
    if (before.updates === undefined) return after.updates === undefined ? [] : withoutValues('tool-streams')
    if (after.updates === undefined) return withoutValues('tool-streams-no-more')
    return ofSchema('result', before.updates, after.updates, 'updates')
  }
  return [
    ...ofSchema('payload', before.arguments, after.arguments, 'arguments'),
    ...serverOwnedChanges(before, after, definitions, location),
    ...ofSchema('result', before.result, after.result, 'result'),
    ...streaming(),
    ...toolRules.flatMap(([key, rule]) => compare(rule, own(before.about, key), own(after.about, key))),
    ...compare(`tool-confirmation-${confirmation}`, oldConfirmation, newConfirmation),
    ...(neededCheck === needsCheck ? [] : withoutValues(needsCheck ? 'tool-check-added' : 'tool-check-removed')),
    ...compare('tool-remote-name-changed', before.remote, after.remote),
  ]
}

function serverOwnedChanges(
  before: ToolContract,
  after: ToolContract,
  { payload }: Definitions,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const subject = { tool: after.id }
  const [old, recent] = [before, after].map(({ serverOwned }) => new Set(serverOwned.map(({ from }) => from)))
  const narrowed = after.serverOwned.flatMap(({ field, from, schema: target }) => {
    const source = before.serverOwned.find((owned) => owned.field === field && owned.from === from)?.schema
    if (source === undefined) return []
    const all = payload.narrowed.mismatches(source, target)
    const proofs = payload.narrowed.withWitnesses({ source, target, all, reported: all }).map(provenBy)
    const proof = proofs.find(({ certain }) => certain) ?? proofs[0]
    return proof === undefined
      ? []
      : [newChange('server-owned-narrowed', subject, { before: source, after: target, ...proof, location })]
  })
  return [
    ...[...(recent ?? [])]
      .filter((from) => !old?.has(from))
      .map((from) => newChange('server-owned-source-added', subject, { after: from, location })),
    ...[...(old ?? [])]
      .filter((from) => !recent?.has(from))
      .map((from) => newChange('server-owned-source-removed', subject, { before: from, location })),
    ...narrowed,
  ]
}

type Direction = 'narrowed' | 'widened'

/** Rule ids that differ from the usual pattern `SIDE-ASPECT-DIRECTION` (such as `payload-enum-narrowed`). */
const ruleIds: {
  readonly [Side in 'payload' | 'result']: { readonly [A in Aspect]?: Readonly<Record<Direction, string>> }
} = {
  payload: {
    required: { narrowed: 'payload-field-required', widened: 'payload-field-optional' },
    field: { narrowed: 'payload-field-removed', widened: 'payload-field-added' },
    'unknown-fields': { narrowed: 'payload-unknown-fields-refused', widened: 'payload-unknown-fields-taken' },
    'js-type': { narrowed: 'payload-js-type-changed', widened: 'payload-js-type-changed' },
  },
  result: {
    required: { narrowed: 'result-field-required', widened: 'result-field-optional' },
    field: { narrowed: 'result-field-added', widened: 'result-field-removed' },
    'unknown-fields': { narrowed: 'result-rule-narrowed', widened: 'result-rule-widened' },
    'js-type': { narrowed: 'result-js-type-changed', widened: 'result-js-type-changed' },
  },
}

function schemaChanges(
  side: 'payload' | 'result',
  before: Schema,
  after: Schema,
  definitions: Definitions,
  subject: ChangeSubject,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const { narrowed, widened } = definitions[side]
  const at = (pointer: string) => ({ pointer, definition: definitions.locationAt(before, after, pointer), location })
  const all = { narrowed: narrowed.mismatches(before, after), widened: widened.mismatches(after, before) }
  const [first, second] = side === 'payload' ? (['narrowed', 'widened'] as const) : (['widened', 'narrowed'] as const)
  const renames = renamedFields(all[first], all[second], definitions)
  const changes = (direction: Direction, reported: readonly Mismatch[]): readonly ContractChange[] => {
    const isNarrowed = direction === 'narrowed'
    const [source, target] = isNarrowed ? [before, after] : [after, before]
    const witnessed = definitions[side][direction].withWitnesses({ source, target, all: all[direction], reported })
    return witnessed.map((mismatch) => {
      const { aspect, pointer } = mismatch
      const [to, from] = [renames.to.get(pointer), renames.from.get(pointer)]
      return newChange(ruleIds[side][aspect]?.[direction] ?? `${side}-${aspect}-${direction}`, subject, {
        ...at(pointer),
        ...provenBy(mismatch),
        rename: to !== undefined ? { to: nameAt(to) } : from !== undefined ? { from: nameAt(from) } : undefined,
        before: isNarrowed ? mismatch.source : mismatch.target,
        after: isNarrowed ? mismatch.target : mismatch.source,
      })
    })
  }
  // A part that is both narrowed and widened is reported only once.
  const reported = new Set(all[first].map(({ pointer }) => pointer))
  return [
    ...changes(first, all[first]),
    ...changes(
      second,
      all[second].filter(({ pointer }) => !reported.has(pointer)),
    ),
    ...definitions.noteChanges(before, after).map(({ keyword, path, before: was, after: is }) => {
      const isDefault = side === 'payload' && keyword === 'default'
      const rule = isDefault ? 'payload-default-changed' : `${side}-described-otherwise`
      return newChange(rule, subject, { ...at(`${path}/${keyword}`), before: was, after: is })
    }),
  ]
}

const maxWitnessLength = 1000

/** Returns the proof of a mismatch: its example value, if one was found. A change of the TypeScript type needs no example value. */
function provenBy({ aspect, witness }: WitnessedMismatch): Pick<ContractChange, 'certain' | 'witness'> {
  const isShort = witness !== undefined && JSON.stringify(witness).length <= maxWitnessLength
  return { certain: witness !== undefined || aspect === 'js-type', ...(isShort && { witness }) }
}

function nameAt(pointer: string): string {
  return parsePointer(pointer)?.at(-1) ?? pointer
}
