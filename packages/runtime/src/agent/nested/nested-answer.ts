import type { AgentToolOptions } from '../../contract/agent-toolset.js'
import type { Decoded } from '../../contract/codec.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonText, JsonValue } from '../../contract/json.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { RunResult } from '../../contract/step.js'
import type { ToolTable } from '../../execute/call/tool-table.js'

/** What a run came to. */
export interface RunAnswer {
  readonly result?: RunResult | undefined
  /** In call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** The tools of the run: they write the results that they declare. */
  readonly table: ToolTable
}

/** What of it is the result of the call that it served. */
export type NestedAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Every call of the run failed; the last one says why. */
  | { readonly kind: 'failed'; readonly last: Extract<ToolOutcome, { readonly status: 'failed' }> }
  /** There is nothing that fits the tool. */
  | { readonly kind: 'none'; readonly issues: readonly Issue[] }

/**
 * The result of a call that a run served, in this order: a typed answer; the results of the calls that completed (one as it
 * is, else as a list of one; several as a list); a text that is JSON of the result; prose, where that is a result.
 *
 * @param decode as the tool declares its result
 */
export function nestedAnswer(
  { result, outcomes, table }: RunAnswer,
  { prose = false }: Pick<AgentToolOptions, 'prose'>,
  decode: (value: JsonValue) => Decoded<unknown>,
): NestedAnswer {
  if (result?.value !== undefined) return answerOf(decode(result.value))
  const completed = outcomes.flatMap((outcome) =>
    outcome.status === 'completed' ? [declaredResult(table, outcome)] : [],
  )
  // A call that was cancelled says nothing of the task.
  const failed = outcomes.flatMap((outcome) =>
    outcome.status === 'failed' && outcome.hint.reason !== 'cancelled' ? [outcome] : [],
  )
  const last = failed.at(-1)
  if (completed.length === 0 && last !== undefined) return { kind: 'failed', last }
  const ofCalls = resultOfCalls(completed, decode)
  if (ofCalls.kind === 'value' || result?.text === undefined) return ofCalls
  const inProse = jsonIn(result.text)
  const ofText = inProse === undefined ? NOTHING : answerOf(decode(inProse))
  if (ofText.kind === 'value' || !prose) return ofText.kind === 'value' ? ofText : ofCalls
  const ofProse = answerOf(decode(result.text))
  return ofProse.kind === 'value' || completed.length === 0 ? ofProse : ofCalls
}

/** One result counts as it is, and as a list of one where the tool answers with a list. */
function resultOfCalls(
  completed: readonly JsonValue[],
  decode: (value: JsonValue) => Decoded<unknown>,
): Extract<NestedAnswer, { readonly kind: 'value' | 'none' }> {
  const [only] = completed
  if (only === undefined) return NOTHING
  if (completed.length > 1) return answerOf(decode(completed))
  const asItIs = answerOf(decode(only))
  if (asItIs.kind === 'value') return asItIs
  const asList = answerOf(decode([only]))
  // Of a tool that answers with a list the issues of the list say what is wrong.
  return asList.kind === 'value' || wantsArray(asItIs.issues) ? asList : asItIs
}

function wantsArray(issues: readonly Issue[]): boolean {
  return issues.some(
    (issue) => issue.path === '' && issue.constraint === 'invalid_type' && issue.expected.includes('array'),
  )
}

const NOTHING = { kind: 'none', issues: [] } as const

function answerOf(decoded: Decoded<unknown>): Extract<NestedAnswer, { readonly kind: 'value' | 'none' }> {
  return decoded.ok ? { kind: 'value', value: decoded.value } : { kind: 'none', issues: decoded.issues }
}

/** The result of a call as its tool declares it: not as a result adapter or a layer has changed it for the model. */
function declaredResult(
  table: ToolTable,
  { call, result, json }: Extract<ToolOutcome, { readonly status: 'completed' }>,
): JsonValue {
  const encoded = table.find(call.tool)?.tool.result.encodeValue(result.data)
  return parsed(encoded?.ok ? encoded.json : json)
}

function parsed(json: JsonText): JsonValue {
  try {
    return JSON.parse(json)
  } catch {
    // A layer has put prose in the place of a result that its tool did not declare.
    return json
  }
}

/** The object or list that a text is; `undefined` where it is prose. */
function jsonIn(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
