import { quoted } from '../schema/issue-messages.js'
import { isFields } from '../schema/json-values.js'
import { argumentsOf } from './asked.js'
import type { Difference } from './cassette-error.js'
import type { Asked, OfferedTool, RecordedModelRequest, RecordedToolCall } from './exchanges.js'

/** How many characters of a value are shown, and how many of them stand before the first difference. */
const SHOWN = 80
const LEAD = 24

/** The places where two JSON values differ, in the order of the recorded one; what is new comes last. */
function differences(recorded: unknown, now: unknown, path: string = ''): readonly Difference[] {
  if (recorded === now) return []
  if (Array.isArray(recorded) && Array.isArray(now)) {
    const length = Math.max(recorded.length, now.length)
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      parts(recorded, now, `${index}`, `${path}[${index}]`),
    )
  }
  if (isFields(recorded) && isFields(now)) {
    return [...new Set([...Object.keys(recorded), ...Object.keys(now)])].flatMap((key) =>
      parts(recorded, now, key, fieldPath(path, key)),
    )
  }
  return [{ path, recorded, now }]
}

/** A difference in one line: `messages[2].content: recorded "…" / now "…"`. */
function differenceText({ path, ...sides }: Difference): string {
  const from = firstDifference(sides.recorded, sides.now)
  const recorded = 'recorded' in sides ? shown(sides.recorded, from) : 'nothing'
  const now = 'now' in sides ? shown(sides.now, from) : 'nothing'
  return `${path}: recorded ${recorded} / now ${now}`
}

function parts(recorded: object, now: object, key: string, path: string): readonly Difference[] {
  const before = Object.getOwnPropertyDescriptor(recorded, key)
  const after = Object.getOwnPropertyDescriptor(now, key)
  if (before === undefined) return [{ path, now: after?.value }]
  if (after === undefined) return [{ path, recorded: before.value }]
  return differences(before.value, after.value, path)
}

function fieldPath(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Where two texts begin to differ. */
function firstDifference(a: unknown, b: unknown): number {
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  let index = 0
  while (index < a.length && a[index] === b[index]) index += 1
  return index
}

/** A value as JSON, cut where it is long: of a text the part around the first difference. */
function shown(value: unknown, from: number): string {
  if (typeof value !== 'string' || value.length <= SHOWN) return quoted(value, SHOWN)
  const start = from + SHOWN - LEAD > value.length ? Math.max(0, value.length - SHOWN) : Math.max(0, from - LEAD)
  const end = start + SHOWN
  return JSON.stringify(`${start > 0 ? '…' : ''}${value.slice(start, end)}${end < value.length ? '…' : ''}`)
}

/** A difference with the line that tells it. */
export interface ToldDifference {
  readonly difference: Difference
  readonly text: string
}

/** Where something that is asked for differs from something that was recorded. */
export function mismatch(recorded: Asked, now: Asked): readonly ToldDifference[] {
  if (recorded.type === 'model' && now.type === 'model') return requestMismatch(recorded, now)
  if (recorded.type === 'tool' && now.type === 'tool') return callMismatch(recorded, now)
  return [plain({ path: 'type', recorded: recorded.type, now: now.type })]
}

/** What is asked for, in words: `a request of agent 'support'`. */
export function askedText(asked: Asked): string {
  const { agent } = asked
  if (asked.type === 'model') return `a request of agent '${agent}'`
  return agent === undefined ? `a call of ${asked.tool}` : `a call of ${asked.tool} by agent '${agent}'`
}

function requestMismatch(
  { request: recorded }: RecordedModelRequest,
  { request: now }: RecordedModelRequest,
): readonly ToldDifference[] {
  const { tools: toolsBefore, ...before } = recorded
  const { tools: toolsNow, ...after } = now
  return [...offeredMismatch(toolsBefore, toolsNow), ...differences(before, after).map(plain)]
}

function offeredMismatch(
  recorded: RecordedModelRequest['request']['tools'],
  now: RecordedModelRequest['request']['tools'],
): readonly ToldDifference[] {
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(now)])]
  return names.flatMap((name) => {
    const before = Object.hasOwn(recorded, name) ? recorded[name] : undefined
    const after = Object.hasOwn(now, name) ? now[name] : undefined
    const path = `tools.${name}`
    if (before === undefined)
      return [{ difference: { path, now: after }, text: `the tool ${name} was not offered then` }]
    if (after === undefined)
      return [{ difference: { path, recorded: before }, text: `the tool ${name} is not offered now` }]
    return toolMismatch(path, before, after)
  })
}

function callMismatch(recorded: RecordedToolCall, now: RecordedToolCall): readonly ToldDifference[] {
  return [...toolMismatch('tool', recorded, now), ...differences(saidOf(recorded), saidOf(now)).map(plain)]
}

function saidOf(call: RecordedToolCall): object {
  const { resumedWith } = call
  return { arguments: argumentsOf(call), ...(resumedWith !== undefined && { resumedWith }) }
}

function toolMismatch(path: string, recorded: OfferedTool, now: OfferedTool): readonly ToldDifference[] {
  if (recorded.tool !== now.tool) return [plain({ path, recorded: recorded.tool, now: now.tool })]
  if (recorded.hash === now.hash) return []
  const difference = { path: `${path}.hash`, recorded: recorded.hash, now: now.hash }
  const text = `the tool ${now.tool} has changed since the recording (hash ${recorded.hash} → ${now.hash})`
  return [{ difference, text }]
}

function plain(difference: Difference): ToldDifference {
  return { difference, text: differenceText(difference) }
}

/** What was wrong with an exchange, to stand within a sentence. */
export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'it has no form that can be written'
}
