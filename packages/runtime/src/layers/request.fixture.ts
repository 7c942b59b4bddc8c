import { getOrder } from '../agents/orders.fixture.js'
import { classify } from '../call/classify.js'
import { failedOutcome } from '../call/failed-outcome.js'
import { sleep } from '../call/timers.js'
import type { ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallMeta } from '../types/tool.js'

export interface RequestParts {
  readonly toolCallId?: string
  readonly parentToolCallId?: string
  readonly payload?: unknown
  readonly meta?: Partial<ToolCallMeta>
  readonly tool?: Partial<AgentToolSpec>
  readonly emitted?: boolean
}

const specOf = (tool: Partial<AgentToolSpec> = {}): AgentToolSpec => ({
  ...getOrder.spec,
  provider: 'service',
  qualifiedId: 'service.orders.getOrder',
  ...tool,
})

export function requestOf(parts: RequestParts = {}): ToolRequest {
  const { toolCallId = 'call-1', parentToolCallId, payload = { orderId: 'A-1' } } = parts
  const tool = specOf(parts.tool)
  const call = { tool: tool.id, toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) }
  const meta: ToolCallMeta = {
    toolCallId,
    labels: {},
    signal: new AbortController().signal,
    idempotencyKey: '',
    attempt: 1,
    ...parts.meta,
  }
  const json = JSON.stringify(payload)
  let attempts = meta.attempt
  const fail = async (error: unknown): Promise<ToolOutcome> =>
    failedOutcome(classify(error, 0), { call, rejected: json, durationMs: 0, attempts: 0, cause: error })
  return {
    tool,
    call,
    meta,
    env: {},
    arguments: json,
    startedAt: Date.now(),
    emitted: parts.emitted ?? false,
    json: async () => json,
    decode: async () => ({ ok: true, value: payload }),
    emit: async () => {},
    sleep: (milliseconds) => sleep(milliseconds, meta.signal),
    again: () => {
      attempts += 1
      return requestOf({ ...parts, meta: { ...meta, attempt: attempts } })
    },
    withMeta: (other) => requestOf({ ...parts, meta: other }),
    withArguments: (text) => requestOf({ ...parts, payload: JSON.parse(text) }),
    complete: async (value) => completed({ call }, value),
    fail,
    failInvalid: fail,
    suspend: async (kind) => ({
      call,
      provenance: { tool: call.tool, durationMs: 0, attempts: 0 },
      status: 'suspended',
      suspension: { version: 1, kind, call, arguments: json },
    }),
  }
}

export function completed({ call }: Pick<ToolRequest, 'call'>, data: unknown = { id: 'A-1', total: 1 }): ToolOutcome {
  const provenance = { tool: call.tool, durationMs: 5, attempts: 1, service: 'shop' }
  return { call, provenance, status: 'completed', result: { data, provenance }, json: JSON.stringify(data) }
}

export function endingOf(outcome: ToolOutcome): string {
  return outcome.status === 'failed' ? outcome.hint.reason : outcome.status
}

export function retryAfterMsOf(outcome: ToolOutcome): number | undefined {
  return outcome.status === 'failed' && 'retryAfterMs' in outcome.hint ? outcome.hint.retryAfterMs : undefined
}

export interface Gate {
  readonly open: Promise<void>
  unlock(): void
}

export function gate(): Gate {
  let unlock = (): void => {}
  const open = new Promise<void>((resolve) => {
    unlock = resolve
  })
  return { open, unlock: () => unlock() }
}
