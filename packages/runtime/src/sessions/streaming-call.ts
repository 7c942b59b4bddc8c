import {
  amount,
  completedOutcome as completedOutcomeSchema,
  failedOutcome as failedOutcomeSchema,
  storedOutcome,
  suspendedOutcome,
} from '../agents/stored-outcome.js'
import { type BoundTool, deepFreeze } from '../call/bound-tools.js'
import { failedOutcome } from '../call/failed-outcome.js'
import type { ServedTool, ToolTable } from '../call/served-tool.js'
import type { Abortable, AbortTarget } from '../call/timers.js'
import { internalFailure } from '../call/tool-call.js'
import { payloadCodec } from '../codec/codecs.js'
import { shallow } from '../schema/mode.js'
import type { Effects } from '../types/call-options.js'
import type { Codec } from '../types/codec.js'
import type { FailureReason } from '../types/failure.js'
import type { JsonText, Mutable } from '../types/json.js'
import type { Acknowledgement, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { SessionCall, SessionCompletion, StoredCall } from '../types/session.js'
import { outcomeSize } from './entries.js'

/** State of a streaming call, from the start of the call until the application can consume the result. */
export class StreamingCall {
  readonly tool: BoundTool
  readonly info: SessionCall
  readonly startedAt: number
  hasEnded = false
  /**
   * `true` if the session discarded the call, because the application or run that made the call received no acknowledgement. The session ignores the
   * updates and the result of a discarded call.
   */
  isDiscarded = false
  droppedUpdates = 0
  /** Number of updates that cannot be consumed yet, because they are not stored. */
  waitingUpdates = 0
  waitingBytes = 0
  running: (AbortTarget & Pick<Abortable, 'aborted'>) | undefined = undefined

  constructor(tool: BoundTool, toolCallId: string | undefined, isRun: boolean, effects: Effects) {
    const callId = effects.newId('toolCall')
    const now = effects.now()
    this.tool = tool
    this.info = Object.freeze({ callId, ...(toolCallId !== undefined && { toolCallId }), tool: tool.id, isRun })
    // The application's clock may return a value that cannot be stored.
    this.startedAt = amount(now)
  }

  abort(reason: unknown): void {
    this.running?.abort(reason)
  }

  stored(): StoredCall {
    const stored: Mutable<StoredCall> = { ...this.info, startedAt: this.startedAt }
    if (this.droppedUpdates > 0) stored.droppedUpdates = this.droppedUpdates
    return Object.freeze(stored)
  }
}

interface SessionFailure {
  readonly reason: Extract<FailureReason, 'timeout' | 'interrupted' | 'internal'>
  readonly message: string
  readonly tool: BoundTool | undefined
  readonly durationMs: number
}

export function failedBySession(
  { tool: id, toolCallId, callId }: SessionCall,
  { reason, message, tool, durationMs }: SessionFailure,
): StoredOutcome {
  const call = Object.freeze({ tool: id, toolCallId: toolCallId ?? callId })
  const { provenance, error, hint } = failedOutcome(
    { reason, message },
    { call, ...(tool !== undefined && { tool }), rejected: '', durationMs, attempts: 1 },
  )
  return Object.freeze({ call, provenance, status: 'failed', error, hint })
}

/** Returns a failed outcome if `outcome` is invalid, for example because a layer has set an invalid property. */
export function plainOutcome(table: ToolTable, outcome: ToolOutcome, { isLayered }: ServedTool): StoredOutcome {
  try {
    const stored = storedOutcome(table, outcome)
    const { extra, children, durationMs } = outcome.provenance
    const isPlain =
      !isLayered &&
      outcome.status !== 'suspended' &&
      extra === undefined &&
      children === undefined &&
      Number.isFinite(durationMs)
    return isPlain ? Object.freeze(stored) : checked(stored)
  } catch (error) {
    return Object.freeze(storedOutcome(table, internalFailure(outcome.call, '', error)))
  }
}

let codec: Codec<never, StoredOutcome> | undefined

function checked(outcome: StoredOutcome): StoredOutcome {
  const { provenance } = outcome
  // Invalid values of the application's clock must not lose the result.
  const cost = { durationMs: amount(provenance.durationMs), attempts: amount(provenance.attempts) }
  const copy: unknown = JSON.parse(JSON.stringify({ ...outcome, provenance: { ...provenance, ...cost } }))
  if (!shallow(copy)) throw new TypeError('The outcome is nested too deeply to be stored.')
  codec ??= payloadCodec({
    // A nested run is validated when it is resumed.
    schema: { anyOf: [completedOutcomeSchema, failedOutcomeSchema, suspendedOutcome({ type: 'object' })] },
    unknown: 'keep',
  })
  const decoded = codec.decodeValue(copy)
  if (!decoded.ok) throw new TypeError(`A layer returned an invalid outcome, at ${decoded.issues[0]?.path}.`)
  return deepFreeze(decoded.value)
}

export function droppedResult(
  call: SessionCall,
  { outcome, tool, held, maxBytes }: DroppedResult,
): Pick<SessionCompletion, 'outcome' | 'droppedBytes'> {
  const size = outcomeSize(outcome)
  const { extra: _, ...provenance } = outcome.provenance
  const failed = failedBySession(call, {
    reason: 'internal',
    message: `The tool has ended, but its result of ${size} bytes was dropped. The session has ${held} bytes of unconsumed results, and its limit is ${maxBytes} bytes.`,
    tool,
    durationMs: provenance.durationMs,
  })
  const small = Object.freeze({ ...failed, provenance: Object.freeze(provenance) })
  // For example, a failure of the tool is kept.
  return outcomeSize(small) < size ? { outcome: small, droppedBytes: size } : { outcome }
}

interface DroppedResult {
  readonly outcome: StoredOutcome
  readonly tool: BoundTool | undefined
  readonly held: number
  readonly maxBytes: number
}

export function notSuspended(outcome: ToolOutcome, tool: BoundTool, rejected: JsonText): ToolOutcome {
  if (outcome.status !== 'suspended') return outcome
  const { call, provenance } = outcome
  const { tool: _, durationMs, attempts, ...detail } = provenance
  const message = 'The call was suspended after its start, but a started call of a session cannot be resumed.'
  const failed = { call, tool, rejected, durationMs, attempts, detail }
  return failedOutcome({ reason: 'internal', message, action: 'replan' }, failed)
}

export function acknowledgement(
  { callId, toolCallId, tool }: Pick<SessionCall, 'callId' | 'toolCallId' | 'tool'>,
  toolName: string,
  note?: string,
): Acknowledgement {
  const started = `The tool '${toolName}' has started. Its result will follow with the call id '${callId}'.`
  const message = note === undefined ? started : `${started} ${note}`
  const ids = toolCallId === undefined ? { callId } : { callId, toolCallId }
  return Object.freeze({ status: 'streaming', ...ids, tool, message })
}

export function fullMessage(bytes: number, maxBytes: number): string | undefined {
  if (bytes < maxBytes) return undefined
  return `The session has ${bytes} bytes of unconsumed results, and its limit is ${maxBytes} bytes. Consume results first.`
}
