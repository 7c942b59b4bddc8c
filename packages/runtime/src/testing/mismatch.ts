import { argumentsOf } from './asked.js'
import { type Difference, differences, differenceText } from './difference.js'
import type { Asked, AskedModel, CalledTool, OfferedTool } from './exchange.js'

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

function requestMismatch({ request: recorded }: AskedModel, { request: now }: AskedModel): readonly ToldDifference[] {
  const { tools: toolsBefore, ...before } = recorded
  const { tools: toolsNow, ...after } = now
  return [...offeredMismatch(toolsBefore, toolsNow), ...differences(before, after).map(plain)]
}

function offeredMismatch(
  recorded: AskedModel['request']['tools'],
  now: AskedModel['request']['tools'],
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

function callMismatch(recorded: CalledTool, now: CalledTool): readonly ToldDifference[] {
  return [...toolMismatch('tool', recorded, now), ...differences(saidOf(recorded), saidOf(now)).map(plain)]
}

function saidOf(call: CalledTool): object {
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
