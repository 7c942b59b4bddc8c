import { restoredError } from '../call/failed-outcome.js'
import { resultCodec } from '../codec/codecs.js'
import type { Codec, Decoded } from '../types/codec.js'
import type { FinalSignal, RetryHint } from '../types/errors.js'
import type { JsonSchema, JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { CallSuspension, Provenance, ToolError, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec } from '../types/tool.js'

/** What became of a call, as plain JSON. */
export type RecordedOutcome = { readonly provenance: Provenance; readonly stop?: FinalSignal } & (
  | {
      readonly status: 'completed'
      readonly json: JsonText
      /** The declared value as JSON text, where that is not what the model read. */
      readonly data?: JsonText
    }
  | { readonly status: 'failed'; readonly error: Pick<ToolError, 'reason' | 'message'>; readonly hint: RetryHint }
  | { readonly status: 'suspended'; readonly suspension: CallSuspension }
)

/**
 * An outcome to be written.
 *
 * @throws {CodecError} when a layer put a value in place of the declared one that the tool could not have answered.
 */
export function recordedOutcome(outcome: ToolOutcome, tool: AgentToolSpec): RecordedOutcome {
  const { provenance, stop } = outcome
  const frame = { provenance, ...(stop !== undefined && { stop }) }
  switch (outcome.status) {
    case 'completed': {
      const { json } = outcome
      const data = dataCodec(tool.result).encode(outcome.result.data)
      return { status: 'completed', json, ...(data !== json && { data }), ...frame }
    }
    case 'failed': {
      const { error, hint } = outcome
      return { status: 'failed', error: { reason: error.reason, message: error.message }, hint, ...frame }
    }
    case 'suspended':
      return { status: 'suspended', suspension: outcome.suspension, ...frame }
  }
}

/** The declared value of a recorded result, typed again; its issues where the recording does not fit the schema. */
export function recordedData(json: JsonText, schema: JsonSchema): Decoded<unknown> {
  return dataCodec(schema).decode(json)
}

/**
 * A recorded outcome as that of another call.
 *
 * @param data the declared value of a completed call
 */
export function replayedOutcome(
  { provenance, stop, ...recorded }: RecordedOutcome,
  { call }: Pick<ToolRequest, 'call'>,
  data: unknown,
): ToolOutcome {
  const frame = { call, provenance, ...(stop !== undefined && { stop }) }
  switch (recorded.status) {
    case 'completed':
      return { ...frame, status: 'completed', result: { data, provenance }, json: recorded.json }
    case 'failed':
      return { ...frame, status: 'failed', error: restoredError(recorded.error, recorded.hint), hint: recorded.hint }
    case 'suspended':
      return { ...frame, status: 'suspended', suspension: { ...recorded.suspension, call } }
  }
}

const codecs = new WeakMap<object, Codec<unknown>>()

/** The codec of a schema; undeclared fields stay, since the tool's own codec has dealt with them. */
function dataCodec(schema: JsonSchema): Codec<unknown> {
  const known = typeof schema === 'object' ? codecs.get(schema) : undefined
  if (known !== undefined) return known
  const codec: Codec<unknown> = resultCodec({ schema, unknown: 'keep' })
  if (typeof schema === 'object') codecs.set(schema, codec)
  return codec
}
