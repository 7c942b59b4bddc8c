import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import { own } from '../../schema/json/json.js'
import type { Json } from '../../schema/json/json-schema.js'
import type { ToolContract } from '../contracts/contracts.js'
import { aboutChanges, isSameOrAbsent, type SaidRules } from './about-changes.js'
import { type ChangeFacts, type ContractChange, newChange, type Subject } from './change.js'
import type { Definitions } from './definitions.js'
import { type About, payloadChanges, resultChanges, shownBy } from './schema-changes.js'

/** A tool before and now, with the definitions of its toolset. */
export interface ToolVersions {
  readonly was: ToolContract
  readonly is: ToolContract
  readonly definitions: Definitions
}

/** What is said of a tool, beside its schemas, with the rule for a change of it. */
const said: SaidRules = [
  ['wireName', 'tool-wire-name-changed'],
  ['title', 'tool-title-changed'],
  ['description', 'tool-described-otherwise'],
  ['examples', 'tool-examples-changed'],
  ['callHint', 'tool-hints-changed'],
  ['resultHint', 'tool-hints-changed'],
  ['tags', 'tool-tags-changed'],
  ['annotations', 'tool-annotations-changed'],
  ['defaultLayers', 'tool-default-layers-changed'],
]

/** How a tool differs from what it was. */
export function toolChanges(versions: ToolVersions, place: SourcePlace | undefined): readonly ContractChange[] {
  const { was, is, definitions } = versions
  const subject: Subject = { tool: is.id }
  const change: NewChange = (rule, before, now, shown) =>
    newChange(rule, {
      subject,
      ...shown,
      ...(before !== undefined && { was: before }),
      ...(now !== undefined && { is: now }),
      ...(place !== undefined && { place }),
    })
  const aboutSide = (side: Subject['side'] & string): About => ({
    subject: { ...subject, side },
    ...(place !== undefined && { place }),
  })
  const about = aboutChanges(was.about, is.about, said, change)
  return [
    ...payloadChanges({ was: was.arguments, is: is.arguments }, definitions, aboutSide('arguments')),
    ...serverOwnedChanges(versions, change),
    ...resultChanges({ was: was.result, is: is.result }, definitions, aboutSide('result')),
    ...updateChanges(versions, aboutSide('updates'), change),
    ...about,
    ...confirmationChanges(versions, change),
    ...checkChanges(versions, change),
    ...(was.remote === is.remote ? [] : [change('tool-remote-name-changed', was.remote, is.remote)]),
  ]
}

type NewChange = (
  rule: string,
  was: Json | undefined,
  is: Json | undefined,
  shown?: Pick<ChangeFacts, 'certain' | 'witness'>,
) => ContractChange

function updateChanges(
  { was, is, definitions }: ToolVersions,
  about: About,
  change: NewChange,
): readonly ContractChange[] {
  const [before, now] = [was.updates, is.updates]
  if (before !== undefined && now !== undefined) return resultChanges({ was: before, is: now }, definitions, about)
  if (before === now) return []
  return [change(now === undefined ? 'tool-streams-no-more' : 'tool-streams', undefined, undefined)]
}

function confirmationChanges({ was, is }: ToolVersions, change: NewChange): readonly ContractChange[] {
  const [before, now] = [own(was.about, 'confirmation'), own(is.about, 'confirmation')]
  if (isSameOrAbsent(before, now)) return []
  const what = before === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
  return [change(`tool-confirmation-${what}`, before, now)]
}

function checkChanges({ was, is }: ToolVersions, change: NewChange): readonly ContractChange[] {
  const [before, now] = [was, is].map(({ about }) => own(about, 'needsCheck') === true)
  if (before === now) return []
  return [change(now === true ? 'tool-check-added' : 'tool-check-removed', undefined, undefined)]
}

function serverOwnedChanges({ was, is, definitions }: ToolVersions, change: NewChange): readonly ContractChange[] {
  const [before, now] = [was, is].map(({ serverOwned }) => [...new Set(serverOwned.map(({ from }) => from))])
  const narrowed = is.serverOwned.flatMap((owned) => {
    const known = was.serverOwned.find(({ field, from }) => field === owned.field && from === owned.from)
    if (known === undefined) return []
    const { narrowed } = definitions.payload
    const all = narrowed.refusals(known.schema, owned.schema)
    const refused = narrowed.show({ taken: known.schema, taker: owned.schema, all, told: all })
    const [shown] = refused.map(shownBy).sort((a, b) => Number(b.certain) - Number(a.certain))
    return shown === undefined ? [] : [change('server-owned-narrowed', known.schema, owned.schema, shown)]
  })
  return [
    ...(now ?? [])
      .filter((from) => before?.includes(from) !== true)
      .map((from) => change('server-owned-source-added', undefined, from)),
    ...(before ?? [])
      .filter((from) => now?.includes(from) !== true)
      .map((from) => change('server-owned-source-removed', from, undefined)),
    ...narrowed,
  ]
}
