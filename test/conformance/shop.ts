import { toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import type { RunMeta } from '../../packages/runtime/src/agents.js'
import {
  type JsonSchema,
  type ToolCallMeta,
  type ToolDescriptor,
  ToolFailure,
} from '../../packages/runtime/src/index.js'

const found: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, total: { type: 'number' } },
  required: ['id', 'total'],
}

interface FindArguments {
  readonly orderId: string
  readonly quantity?: number
}

/** Descriptors of the tools, as in generated code. */
export const find: ToolDescriptor<FindArguments, unknown, unknown, never> = toolOf('orders.find', {
  result: found,
  spec: {
    title: 'Find order',
    examples: [{ orderId: 'A-1' }],
    callHint: 'Looking up {{orderId}}',
    resultHint: '{{id}} costs {{total}}',
    annotations: { readOnly: true },
  },
})

export const cancel: ToolDescriptor<{ readonly orderId: string }, unknown, unknown, never> = toolOf('orders.cancel', {
  result: { type: 'object', properties: { cancelled: { type: 'boolean' } }, required: ['cancelled'] },
  spec: {
    annotations: { destructive: true },
    confirmation: { prompt: 'Cancel {{orderId}}?', deniedResult: { cancelled: false } },
  },
})

export const mine: ToolDescriptor<{ readonly status?: string }, unknown, unknown, 'sessionId'> = toolOf('orders.mine', {
  arguments: { type: 'object', properties: { status: { type: 'string' } } },
  result: found,
  spec: { serverOwned: [{ field: 'sessionId', from: 'sessionId', schema: { type: 'string' } }] },
})

export const tools: readonly ToolDescriptor[] = [find, cancel, mine]

/** Implementation of the tools for all providers. Each order number leads to another outcome. */
export class Shop {
  /** Received calls, in order. */
  readonly asked: { readonly tool: string; readonly payload: unknown }[] = []
  /** Number of calls whose signal was aborted. */
  told = 0

  async answer(tool: string, payload: any, meta: ToolCallMeta | RunMeta): Promise<unknown> {
    // `any`: the payload was validated.
    this.asked.push({ tool, payload })
    if (tool === 'cancel') return { cancelled: true }
    if (tool === 'mine') return { id: payload.sessionId ?? meta.sessionId, total: 1 }
    return this.#order(payload.orderId, meta)
  }

  async #order(orderId: string, { signal }: Pick<ToolCallMeta, 'signal'>): Promise<unknown> {
    if (orderId === 'shipped') throw new ToolFailure('The order has shipped.', { action: 'finish' })
    if (orderId === 'limited') throw serviceError(429, { 'retry-after': '60' })
    if (orderId === 'away') throw serviceError(503)
    if (orderId === 'flaky' && this.asked.length === 1) throw serviceError(503)
    if (orderId === 'forbidden') throw serviceError(403)
    if (orderId === 'late') throw Object.assign(new Error('no answer from 10.0.0.7'), { code: 'ETIMEDOUT' })
    if (orderId === 'secret') throw new Error('password=hunter2 at /srv/orders.js')
    if (orderId === 'malformed') return { id: 'malformed', total: 'much' }
    if (orderId === 'never') return this.#untilTold(signal)
    return { id: orderId, total: 12.5 }
  }

  #untilTold(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) =>
      signal?.addEventListener('abort', () => {
        this.told += 1
        reject(signal.reason)
      }),
    )
  }
}

function serviceError(status: number, headers: Readonly<Record<string, string>> = {}): Error {
  return Object.assign(new Error('hunter2'), { status, headers })
}
