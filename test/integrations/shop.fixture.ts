import { executorOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type BoundAgent,
  type RegistrationOptions,
  Runtime,
  type ToolDescriptor,
  type ToolLayer,
  type ToolsetRegistration,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import { Shop, tools } from '../conformance/shop.js'
import { orders, executorOf as shopExecutor } from '../conformance/shop-executor.js'
import type { WrittenCall } from './framework.js'

const place = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }

/** A tool that sends two updates. */
export const follow: ToolDescriptor<{ readonly orderId: string }, unknown, unknown, never> = toolOf('parcels.follow', {
  result: place,
  spec: { updates: place },
})

/** A tool that returns when two of its calls are running. */
export const meet: ToolDescriptor<{ readonly orderId: string }, unknown, unknown, never> = toolOf('parcels.meet', {
  result: place,
})

const parcels = { name: 'parcels', namespace: 'default', description: 'Parcels.', tools: [follow, meet] }

/** Options and layers of the shop's tools. */
export interface AgentOptions {
  readonly shop?: Shop
  readonly orders?: RegistrationOptions
  readonly toolLayer?: ToolLayer
}

/** Returns an agent with the tools of the shop and for parcels. */
export function agentOf({ shop = new Shop(), orders: options, toolLayer }: AgentOptions = {}): BoundAgent {
  const plain = toolsetRegistration({ toolset: orders, provider: 'service' }, shopExecutor(shop, tools), options)
  const registration = toolLayer === undefined ? plain : plain.layer(toolLayer)
  return new Runtime().registerAgent({ name: 'support', description: 'Answers customers.' }, [
    registration,
    parcelsRegistration(),
  ])
}

function parcelsRegistration(): ToolsetRegistration {
  let meetings: (() => void)[] = []
  const met = new Promise<void>((resolve) => {
    meetings = [() => undefined, resolve]
  })
  return toolsetRegistration(
    { toolset: parcels, provider: 'service' },
    executorOf(async ({ tool, emit }) => {
      if (tool.name === 'meet') {
        meetings.shift()?.()
        await met
        return { place: 'Rome' }
      }
      await emit({ place: 'Turin' })
      await emit({ place: 'Milan' })
      return { place: 'Rome' }
    }),
  )
}

let written = 0

/** Returns a call with a unique id. */
export function call(tool: string, args: object | string): WrittenCall {
  written += 1
  return { id: `call_${written}`, tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
}
