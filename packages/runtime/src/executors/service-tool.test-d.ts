import type { MethodArgs, MethodResult } from './method-types.js'
import { type Mapper, serviceTool, type ToolMappers, type WrappingMapper } from './service-executor.js'

interface Client {
  fetch(order: { id: string; verbose?: boolean }): Promise<{ id: string; total: bigint }>
}
interface Payload {
  readonly orderId: string
}
interface Order {
  readonly id: string
  readonly total: number
}
type FetchArgs = MethodArgs<Client['fetch']>
type Fetched = MethodResult<Client['fetch']>
declare const client: Client

interface Optional {
  readonly mappers?: { readonly get?: ToolMappers<Payload, FetchArgs, Fetched, Order> }
}
declare const optional: Optional
serviceTool({
  payload: (payload: Payload): FetchArgs => [{ id: payload.orderId }],
  call: (args) => client.fetch(...args),
  result: (order): Order => ({ id: order.id, total: Number(order.total) }),
  mappers: optional.mappers?.get,
})

declare const payloadRequired: { payload: Mapper<Payload, FetchArgs>; result?: WrappingMapper<Fetched, Order> }
serviceTool({
  call: (args) => client.fetch(...args),
  result: (order): Order => ({ id: order.id, total: Number(order.total) }),
  mappers: payloadRequired,
})

declare const resultRequired: { payload?: WrappingMapper<Payload, FetchArgs>; result: Mapper<Fetched, Order> }
serviceTool({
  payload: (payload: Payload): FetchArgs => [{ id: payload.orderId }],
  call: (args) => client.fetch(...args),
  mappers: resultRequired,
})

declare const bothRequired: { payload: Mapper<Payload, FetchArgs>; result: Mapper<Fetched, Order> }
serviceTool({ call: (args) => client.fetch(...args), mappers: bothRequired })

// @ts-expect-error a tool without a payload transform needs a payload mapper
serviceTool({
  call: (args: FetchArgs) => client.fetch(...args),
  result: (order: Fetched): Order => ({ id: order.id, total: 1 }),
})

serviceTool({
  // @ts-expect-error the transform makes other arguments than the method takes
  payload: (payload: Payload): FetchArgs => [{ orderId: payload.orderId }],
  call: (args) => client.fetch(...args),
  result: (order): Order => ({ id: order.id, total: 1 }),
})
