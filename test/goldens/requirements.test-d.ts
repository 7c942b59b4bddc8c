import { Runtime } from '@toolgen/runtime'
import type { StandardCheck } from '@toolgen/runtime/codegen/v1'
import { registerSupport } from './flat/gen/agents/support/index.js'
import { newGetOrderCall, newLeaveNoteCall } from './flat/gen/toolsets/orders/index.js'
import type { GetOrderPayload } from './flat/gen/toolsets/orders/types.js'
import type { OrdersClient } from './flat/src/orders-client.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

declare const client: OrdersClient
declare const check: StandardCheck
const leaveNote = { payload: (payload: { readonly text: string }): [{ body: string }] => [{ body: payload.text }] }

const support = registerSupport(new Runtime(), {
  toolsets: { orders: { client, mappers: { leaveNote }, checks: { leaveNote: check } } },
})

// @ts-expect-error a tool of this toolset requires a mapper
registerSupport(new Runtime(), { toolsets: { orders: { client, checks: { leaveNote: check } } } })

// @ts-expect-error a tool of this toolset requires a check
registerSupport(new Runtime(), { toolsets: { orders: { client, mappers: { leaveNote } } } })

// @ts-expect-error the toolset has neither client nor executor
registerSupport(new Runtime(), { toolsets: { orders: { mappers: { leaveNote }, checks: { leaveNote: check } } } })

// @ts-expect-error every toolset must be served
registerSupport(new Runtime(), { toolsets: {} })

// @ts-expect-error the field is required
newGetOrderCall({ verbose: true })

// @ts-expect-error no caller sends what the server owns
newGetOrderCall({ orderId: 'A-1', sessionId: 's-1' })

// @ts-expect-error executing needs what the runtime fills in
support.execute(newGetOrderCall({ orderId: 'A-1' }))

support.execute(newGetOrderCall({ orderId: 'A-1', verbose: undefined }), { sessionId: 's-1' })
support.execute(newLeaveNoteCall({ text: 'a' }))

/** Defaults are there, an own undefined is gone, server-owned fields are added. */
export const payloadIsFilled: Equal<
  { [K in keyof GetOrderPayload]: GetOrderPayload[K] },
  { readonly sessionId: string; readonly orderId: string; readonly verbose: boolean }
> = true
