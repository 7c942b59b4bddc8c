import type { Provenance, ToolOutcome } from '../contract/outcome.js'
import type { ToolRequest } from '../contract/tool-request.js'

/** A completed call. */
type Completed = Extract<ToolOutcome, { status: 'completed' }>

/** What is kept of a completed call: a copy that nobody else holds. */
export type Kept = Pick<Completed, 'result' | 'json'>

/** What is to be kept of an outcome; `undefined` for a failure, a stop of the run, and what cannot be copied. */
export function kept(outcome: ToolOutcome): Kept | undefined {
  if (outcome.status !== 'completed' || outcome.stop !== undefined) return undefined
  const { result, json } = outcome
  try {
    return { result: structuredClone(result), json }
  } catch {
    // A hand-written tool may answer with what cannot be copied, such as functions.
    return undefined
  }
}

/** The outcome of another call with the same answer: its own reference and cost, its own copy of the data. */
export function cachedOutcome({ result, json }: Kept, request: ToolRequest, now: number): ToolOutcome {
  const { model, service, extra } = result.provenance
  const provenance: Provenance = {
    tool: request.call.tool,
    durationMs: Math.max(0, now - request.startedAt),
    attempts: request.meta.attempt - 1,
    ...(model !== undefined && { model }),
    ...(service !== undefined && { service }),
    extra: { ...structuredClone(extra), cache: 'hit' },
  }
  const data = structuredClone(result.data)
  return { call: request.call, provenance, status: 'completed', result: { data, provenance }, json }
}
