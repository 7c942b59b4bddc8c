import type { AgentToolOptions } from '../../contract/agent-toolset.js'
import type { Decoded } from '../../contract/codec.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonText, JsonValue } from '../../contract/json.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { RunResult } from '../../contract/step.js'

/** What a run came to. */
export interface RunAnswer {
  readonly result?: RunResult | undefined
  /** In call order. */
  readonly outcomes: readonly ToolOutcome[]
}

/** What of it is the result of the call that it served. */
export type NestedAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Every call of the run failed; the last one says why. */
  | { readonly kind: 'failed'; readonly last: Extract<ToolOutcome, { readonly status: 'failed' }> }
  /** There is nothing that fits the tool. */
  | { readonly kind: 'none'; readonly issues: readonly Issue[] }

/**
 * The result of a call that a run served, in this order: a typed answer; the results of the calls that completed, one as it
 * is, several as a list; a text that is JSON of the result; prose, where that is a result.
 *
 * @param decode as the tool declares its result
 */
export function nestedAnswer(
  { result, outcomes }: RunAnswer,
  { prose = false }: Pick<AgentToolOptions, 'prose'>,
  decode: (value: JsonValue) => Decoded<unknown>,
): NestedAnswer {
  if (result?.value !== undefined) return answerOf(decode(result.value))
  const completed = outcomes.flatMap((outcome) => (outcome.status === 'completed' ? [parsed(outcome.json)] : []))
  // A call that was cancelled says nothing of the task.
  const failed = outcomes.flatMap((outcome) =>
    outcome.status === 'failed' && outcome.hint.reason !== 'cancelled' ? [outcome] : [],
  )
  const last = failed.at(-1)
  if (completed.length === 0 && last !== undefined) return { kind: 'failed', last }
  const [only] = completed
  const ofCalls = only === undefined ? NOTHING : answerOf(decode(completed.length === 1 ? only : completed))
  if (ofCalls.kind === 'value' || result?.text === undefined) return ofCalls
  const inProse = jsonIn(result.text)
  const ofText = inProse === undefined ? NOTHING : answerOf(decode(inProse))
  if (ofText.kind === 'value' || !prose) return ofText.kind === 'value' ? ofText : ofCalls
  const ofProse = answerOf(decode(result.text))
  return ofProse.kind === 'value' || only === undefined ? ofProse : ofCalls
}

const NOTHING: NestedAnswer = { kind: 'none', issues: [] }

function answerOf(decoded: Decoded<unknown>): NestedAnswer {
  return decoded.ok ? { kind: 'value', value: decoded.value } : { kind: 'none', issues: decoded.issues }
}

/** What a model read of a call; a result adapter may have made something else than JSON of it. */
function parsed(json: JsonText): JsonValue {
  try {
    return JSON.parse(json)
  } catch {
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
