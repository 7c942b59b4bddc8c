import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import { own, sameJson } from '../../schema/json/json.js'
import type { Json } from '../../schema/json/json-schema.js'
import type { ToolContract } from '../contracts/contracts.js'
import { refusals } from '../inclusion/inclusion.js'
import type { Defs } from '../inclusion/spot.js'
import { type ContractChange, newChange, type Subject } from './change.js'
import { payloadChanges, resultChanges } from './schema-changes.js'

/** A tool with the definitions of its toolset. */
export interface ToolSide {
  readonly tool: ToolContract
  readonly defs: Defs
}

/** What is said of a tool, beside its schemas, with the rule for a change of it. */
const said: readonly (readonly [key: string, rule: string])[] = [
  ['wireName', 'tool-wire-name-changed'],
  ['title', 'tool-title-changed'],
  ['description', 'tool-described-otherwise'],
  ['examples', 'tool-examples-changed'],
  ['callHint', 'tool-hints-changed'],
  ['resultHint', 'tool-hints-changed'],
  ['tags', 'tool-tags-changed'],
  ['annotations', 'tool-annotations-changed'],
]

/** How a tool differs from what it was. */
export function toolChanges(was: ToolSide, is: ToolSide, place: SourcePlace | undefined): readonly ContractChange[] {
  const subject: Subject = { tool: is.tool.id }
  const change = (rule: string, before: Json | undefined, now: Json | undefined): ContractChange =>
    newChange(rule, {
      subject,
      ...(before !== undefined && { was: before }),
      ...(now !== undefined && { is: now }),
      ...(place !== undefined && { place }),
    })
  const about = said.flatMap(([key, rule]) => {
    const [before, now] = [own(was.tool.about, key), own(is.tool.about, key)]
    return isSame(before, now) ? [] : [change(rule, before, now)]
  })
  const { remote } = is.tool
  return [
    ...payloadChanges(sideOf(was, 'arguments'), sideOf(is, 'arguments'), aboutSide(subject, 'arguments', place)),
    ...serverOwnedChanges(was, is, change),
    ...resultChanges(sideOf(was, 'result'), sideOf(is, 'result'), aboutSide(subject, 'result', place)),
    ...updateChanges(was, is, subject, place),
    ...about,
    ...confirmationChanges(was, is, change),
    ...checkChanges(was, is, change),
    ...(was.tool.remote === remote ? [] : [change('tool-remote-name-changed', was.tool.remote, remote)]),
  ]
}

type NewChange = (rule: string, was: Json | undefined, is: Json | undefined) => ContractChange

function isSame(was: Json | undefined, is: Json | undefined): boolean {
  return was === undefined || is === undefined ? was === is : sameJson(was, is)
}

function sideOf({ tool, defs }: ToolSide, side: 'arguments' | 'result'): Parameters<typeof payloadChanges>[0] {
  return { schema: tool[side], defs }
}

function aboutSide(
  { tool }: Subject,
  side: Subject['side'] & string,
  place: SourcePlace | undefined,
): Parameters<typeof payloadChanges>[2] {
  return { subject: { ...(tool !== undefined && { tool }), side }, ...(place !== undefined && { place }) }
}

function updateChanges(
  was: ToolSide,
  is: ToolSide,
  subject: Subject,
  place: SourcePlace | undefined,
): readonly ContractChange[] {
  const [before, now] = [was.tool.updates, is.tool.updates]
  if (before !== undefined && now !== undefined) {
    const about = aboutSide(subject, 'updates', place)
    return resultChanges({ schema: before, defs: was.defs }, { schema: now, defs: is.defs }, about)
  }
  if (before === now) return []
  const rule = now === undefined ? 'tool-streams-no-more' : 'tool-streams'
  return [newChange(rule, { subject, ...(place !== undefined && { place }) })]
}

function confirmationChanges(was: ToolSide, is: ToolSide, change: NewChange): readonly ContractChange[] {
  const [before, now] = [own(was.tool.about, 'confirmation'), own(is.tool.about, 'confirmation')]
  if (isSame(before, now)) return []
  const what = before === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
  return [change(`tool-confirmation-${what}`, before, now)]
}

function checkChanges(was: ToolSide, is: ToolSide, change: NewChange): readonly ContractChange[] {
  const [before, now] = [was, is].map(({ tool }) => own(tool.about, 'needsCheck') === true)
  if (before === now) return []
  return [change(now === true ? 'tool-check-added' : 'tool-check-removed', undefined, undefined)]
}

function serverOwnedChanges(was: ToolSide, is: ToolSide, change: NewChange): readonly ContractChange[] {
  const [before, now] = [was, is].map(({ tool }) => [...new Set(tool.serverOwned.map(({ from }) => from))])
  const narrowed = is.tool.serverOwned.flatMap((owned) => {
    const known = was.tool.serverOwned.find(({ field, from }) => field === owned.field && from === owned.from)
    if (known === undefined) return []
    const [first] = refusals(known.schema, owned.schema, { taken: was.defs, taker: is.defs, fields: 'known' })
    return first === undefined ? [] : [change('server-owned-narrowed', known.schema, owned.schema)]
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
