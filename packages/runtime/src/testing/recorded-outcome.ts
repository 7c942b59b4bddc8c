import { restoredError } from '../call/tool-error.js'
import { resultCodec } from '../codec/codecs.js'
import type { Codec } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { RecordedOutcome } from './exchanges.js'

export function recordedOutcome(outcome: ToolOutcome, tool: AgentToolSpec): RecordedOutcome {
  const { provenance, stop } = outcome
  const common = { provenance, ...(stop !== undefined && { stop }) }
  switch (outcome.status) {
    case 'completed': {
      const { json, content } = outcome
      const data = dataCodec(tool.result).encode(outcome.result.data)
      const parts = content !== undefined && { content }
      return { status: 'completed', json, ...(data !== json && { data }), ...parts, ...common }
    }
    case 'failed': {
      const { error, hint } = outcome
      return { status: 'failed', error: { reason: error.reason, message: error.message }, hint, ...common }
    }
    case 'suspended':
      return { status: 'suspended', suspension: outcome.suspension, ...common }
  }
}

export function replayedOutcome(
  { provenance, stop, ...recorded }: RecordedOutcome,
  { call, tool }: Pick<ToolRequest, 'call' | 'tool'>,
  data: unknown,
): ToolOutcome {
  const common = { call, provenance, ...(stop !== undefined && { stop }) }
  switch (recorded.status) {
    case 'completed': {
      const { json, content } = recorded
      const parts = content !== undefined && { content }
      return { ...common, status: 'completed', result: { data, provenance }, json, ...parts }
    }
    case 'failed':
      return {
        ...{ ...common, status: 'failed', hint: recorded.hint },
        error: restoredError(recorded.error, recorded.hint, tool),
      }
    case 'suspended':
      return { ...common, status: 'suspended', suspension: { ...recorded.suspension, call } }
  }
}

const codecs = new WeakMap<object, Codec<unknown>>()

export function dataCodec(schema: JsonSchema): Codec<unknown> {
  const existing = typeof schema === 'object' ? codecs.get(schema) : undefined
  if (existing !== undefined) return existing
  // The tool's codec has already removed unwanted fields before the recording.
  const codec: Codec<unknown> = resultCodec({ schema, unknown: 'keep' })
  if (typeof schema === 'object') codecs.set(schema, codec)
  return codec
}
