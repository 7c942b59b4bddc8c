import { approval, type EventSink, Runtime, tool, toolset, withContent } from '@toolgen/runtime'
import { base, type ModelDriver, type RunSuspension, useTools } from '@toolgen/runtime/agents'
import {
  approvalAnswers,
  convertToChatMessages,
  type ReceivedUIMessage,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
} from '@toolgen/runtime/ai-sdk'

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Registers an agent of a shop. Cancellations need an approval, and parcels send updates. */
export function shopAgent(model: ModelDriver, onEvent?: EventSink) {
  const parameters = { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] } as const
  const orders = toolset(
    'orders',
    tool({
      name: 'find',
      description: 'Finds an order.',
      parameters,
      run: ({ orderId }) => {
        if (orderId === 'broken') throw new Error('secret address of the database')
        return { id: orderId, total: 12.5 }
      },
    }),
    tool({
      name: 'track',
      description: 'Follows a parcel.',
      parameters,
      updates: { type: 'object', properties: { place: { type: 'string' } } },
      run: async (_, { emit }) => {
        await emit({ place: 'Rome' })
        await emit({ place: 'Oslo' })
        return { place: 'home' }
      },
    }),
    tool({
      name: 'picture',
      description: 'Shows an article.',
      parameters,
      run: () => withContent({ file: PNG }, [{ mediaType: 'image/png', data: PNG }]),
    }),
    tool({
      name: 'cancel',
      description: 'Cancels an order.',
      parameters,
      run: ({ orderId }) => ({ cancelled: orderId }),
    }),
  )
  const agent = base(model).with(useTools(orders)).build()
  return new Runtime({ sinks: onEvent === undefined ? [] : [onEvent] })
    .registerAgent({ name: 'shop', description: 'Sells.' }, [], { agent })
    .layer(approval({ when: ({ tool }) => tool.toolName === 'cancel' }))
}

/** Creates the HTTP route of a chat, as an application would. Stores suspended runs by the id of the chat. */
export function chatRoute(agent: ReturnType<typeof shopAgent>, options: UIMessageStreamOptions = {}) {
  const suspensions = new Map<string, RunSuspension>()
  const env = { approval: { approve: async () => 'suspend' as const } }
  return async (request: Request): Promise<Response> => {
    const { id, messages } = (await request.json()) as { id: string; messages: readonly ReceivedUIMessage[] }
    const suspension = suspensions.get(id)
    const answers = suspension && approvalAnswers(suspension, messages)
    suspensions.delete(id)
    const run =
      suspension !== undefined && answers !== undefined
        ? agent.resume(suspension, answers, { env })
        : agent.run(convertToChatMessages(messages), { env })
    return toUIMessageStreamResponse(run, {
      ...options,
      onEnd: async (ended) => {
        if (ended.suspension !== undefined) suspensions.set(id, ended.suspension)
        await options.onEnd?.(ended)
      },
    })
  }
}
