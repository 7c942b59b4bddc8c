import type {
  BoundAgent,
  BoundToolset,
  FailureReason,
  ToolCall,
  ToolFailure,
  ToolOutcome,
  TypedFailure,
} from '@toolgen/runtime'
import { renderForModel } from '@toolgen/runtime'
import {
  type AddressUnknownData,
  newCancelOrderCall,
  newChangeOrderCall,
  newGetOrderCall,
  type Order,
  type OrderShippedData,
  orderLocked,
  orderShipped,
} from './failures/gen/toolsets/orders/index.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Assert<T extends true> = T
type ErrorOf<Outcome> = Extract<Outcome, { status: 'failed' }> extends { error: infer E } ? E : never
type Outcome<Call extends (...args: never[]) => ToolCall<unknown, any>> = Awaited<
  ReturnType<typeof executed<ReturnType<Call>>>
>

declare const agent: BoundAgent
declare const toolset: BoundToolset
declare function executed<Call extends ToolCall<unknown, any>>(call: Call): ReturnType<typeof agent.execute<Call>>

type Cancelled = Outcome<typeof newCancelOrderCall>
type Data<Reason> = Extract<ErrorOf<Cancelled>, { reason: Reason }>['data']

export type Assertions = [
  Assert<Equal<ErrorOf<Cancelled>['reason'], FailureReason | 'order_shipped' | 'order_locked'>>,
  Assert<Equal<Data<'order_shipped'>, OrderShippedData>>,
  Assert<Equal<Data<'order_locked'>, undefined>>,
  // A tool without declared failures has only the reasons of the runtime.
  Assert<Equal<ErrorOf<Outcome<typeof newGetOrderCall>>['reason'], FailureReason>>,
  Assert<Equal<Outcome<typeof newGetOrderCall>, ToolOutcome<Order>>>,
  // The tool of an untyped outcome can declare failures.
  Assert<Equal<ErrorOf<ToolOutcome>['reason'], string>>,
]

export async function narrows(): Promise<string> {
  const outcome = await agent.execute(newCancelOrderCall({ orderId: 'A-1' }))
  if (outcome.status !== 'failed') return ''
  if (outcome.error.reason === 'order_shipped') return outcome.error.data.orderId
  // @ts-expect-error another failure has other data
  if (outcome.error.reason === 'order_locked') return outcome.error.data.orderId
  // @ts-expect-error the tool does not declare this failure
  if (outcome.error.reason === 'address_unknown') return ''
  if (outcome.error.reason === 'timeout') return outcome.error.message
  return renderForModel(outcome)
}

/** Compiles only if the switch has a case for each reason. */
export async function exhaustive(): Promise<string> {
  const outcome = await toolset.execute(newChangeOrderCall({ orderId: 'A-1', address: '' }))
  if (outcome.status !== 'failed') return ''
  const { error } = outcome
  switch (error.reason) {
    case 'order_shipped':
      return error.data.orderId
    case 'address_unknown':
      return addressOf(error.data)
    case 'missing_fields':
    case 'invalid_arguments':
    case 'unknown_tool':
    case 'denied':
    case 'domain_rejection':
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
    case 'malformed_result':
    case 'interrupted':
    case 'unknown_outcome':
    case 'cancelled':
    case 'internal':
      return error.message
  }
}

declare function addressOf(data: AddressUnknownData): string

/** All hints have the reasons of the runtime. */
export function ofHints(outcome: ToolOutcome): string {
  if (outcome.status !== 'failed') return ''
  const { hint } = outcome
  return hint.reason === 'domain_rejection' && hint.failure === 'order_shipped' ? hint.message : hint.reason
}

export async function union(): Promise<unknown> {
  const calls = [newCancelOrderCall({ orderId: 'A-1' }), newGetOrderCall({ orderId: 'A-1' })]
  const [call = newGetOrderCall({ orderId: 'A-1' })] = calls
  const outcome = await agent.execute(call)
  return outcome.status === 'failed' && outcome.error.reason === 'order_shipped' && outcome.error.data.orderId
}

/** A call without types can be a call of any tool. */
export async function untyped(): Promise<unknown> {
  const outcome = await agent.execute({ tool: 'orders_cancelOrder', arguments: '{}' })
  return outcome.status === 'failed' && outcome.error.reason === 'order_shipped' && outcome.error.data
}

/** Every outcome is assignable to an outcome of an unknown tool. An outcome with failures is not assignable to one without. */
export async function annotated(): Promise<ToolOutcome<Order>> {
  const any: ToolOutcome = await agent.execute(newCancelOrderCall({ orderId: 'A-1' }))
  // @ts-expect-error the reason can be the name of a declared failure
  if (any.status === 'failed') return any
  const found: ToolOutcome<Order> = await agent.execute(newGetOrderCall({ orderId: 'A-1' }))
  const reason: FailureReason | undefined = found.status === 'failed' ? found.error.reason : undefined
  return reason === 'denied' ? found : agent.execute(newGetOrderCall({ orderId: 'A-1' }))
}

export const functions: readonly ToolFailure[] = [
  orderShipped({ orderId: 'A-1' }),
  orderShipped({ orderId: 'A-1', carrier: undefined }, { cause: 'logged' }),
  orderLocked(),
  orderLocked(undefined, { cause: 'logged' }),
  // @ts-expect-error the data are required
  orderShipped(),
  // @ts-expect-error the data have another type
  orderShipped({ orderId: 1 }),
]

export const declared: TypedFailure = { reason: 'order_shipped', data: { orderId: 'A-1' } }
