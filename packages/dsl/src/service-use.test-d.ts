import { z } from 'zod'
import { assertType, type Equal } from './equal.fixture.js'
import { defineTool } from './tool.js'
import type { Toolset } from './toolset.js'
import { defineToolset } from './toolset.js'
import type { ServiceClient, ServiceUse } from './uses.js'
import { fromService, serviceClient } from './uses.js'

const payload = z.object({ orderId: z.string(), tenant: z.string() })
const tool = defineTool({ description: 'x', payload, result: z.object({ id: z.string() }) })
const orders = defineToolset('orders', { description: 'Orders.', tools: { getOrder: tool, cancelOrder: tool } })
const allNamed = defineToolset('named', { description: 'Named.', tools: { cancelOrder: tool } })

interface Client {
  readonly version: string
  readonly customers: {
    retrieve(id: string): Promise<unknown>
    readonly cards: { list(): Promise<unknown>; readonly limits: { read(): void } }
  }
  fetchOrder(request: { orderId: string }): Promise<unknown>
  cancelOrder: (orderId: string) => Promise<unknown>
  overloaded(id: string): Promise<string>
  overloaded(id: string, callback: () => void): void
  generic<T>(value: T): Promise<T>
  readonly untyped: any
}
const client = serviceClient<Client>()

assertType<Equal<typeof client, ServiceClient<Client>>>()
// With a type annotation, the call needs no type argument. `isolatedDeclarations` requires the annotation.
export const annotated: ServiceClient<Client> = serviceClient()

const use = fromService(orders, client, { as: 'shop', tools: { getOrder: { method: 'fetchOrder' } } })
assertType<Equal<typeof use, ServiceUse>>()

// A tool needs no `method` if the client has a method of the same name, or if `only` does not select the tool.
fromService(allNamed, client)
fromService(allNamed, client, {})
fromService(allNamed, client, { tools: { cancelOrder: { rename: { orderId: 'id' }, constants: { by: ['tool'] } } } })
fromService(orders, client, { only: ['cancelOrder'] })
fromService(orders, client, { rename: { getOrder: 'get' }, tools: { getOrder: { method: 'fetchOrder' } } })

// Methods can be overloaded, generic, untyped or nested.
fromService(orders, client, { tools: { getOrder: { method: 'overloaded' }, cancelOrder: { method: 'generic' } } })
fromService(orders, client, { tools: { getOrder: { method: 'customers.retrieve', result: { from: 'data' } } } })
fromService(orders, client, {
  tools: { getOrder: { method: 'customers.cards.list', result: { from: 'data', checked: true } } },
})
fromService(allNamed, client, { tools: { cancelOrder: { collect: 'list' } } })
fromService(allNamed, client, { tools: { cancelOrder: { collect: 'last' } } })
fromService(orders, client, { tools: { getOrder: { method: 'untyped' }, cancelOrder: { method: 'untyped.a.b' } } })

// Clients can be class instances.
class OrdersClient {
  readonly #orders = new Map<string, string>()
  getOrder(id: string): string | undefined {
    return this.#orders.get(id)
  }
  cancelOrder(id: string): void {
    this.#orders.delete(id)
  }
}
fromService(orders, serviceClient<OrdersClient>())

// TypeScript accepts any name if the toolset has no known tools. The generator reports wrong names.
declare const method: string
declare const someToolset: Toolset
fromService(orders, serviceClient())
fromService(orders, serviceClient<any>(), { tools: { getOrder: { method: 'a.b.c.d' } } })
fromService(orders, serviceClient<unknown>(), { tools: { getOrder: { method: 'anything' } } })
fromService(orders, client, { tools: { getOrder: { method } } })
fromService(someToolset, client, { only: ['a'], rename: { a: 'c' }, tools: { a: { method: 'fetchOrder' } } })

// A tool without a client method of the same name needs the option `method`.
// @ts-expect-error: getOrder has no method
fromService(orders, client)
// @ts-expect-error: getOrder has no method
fromService(orders, client, {})
// @ts-expect-error: getOrder has no method
fromService(orders, client, { tools: {} })
// @ts-expect-error: getOrder has no method
fromService(orders, client, { only: ['getOrder'] })
fromService(orders, client, {
  // @ts-expect-error: getOrder has no method
  tools: { cancelOrder: { method: 'fetchOrder' } },
})
fromService(orders, client, {
  tools: {
    // @ts-expect-error: getOrder has no method
    getOrder: { result: { from: 'data' } },
  },
})
// @ts-expect-error: a property of that name is not a method
fromService(defineToolset('v', { description: 'x', tools: { version: tool } }), client)
// @ts-expect-error: the client has no methods at all
fromService(allNamed, serviceClient<{ readonly version: string }>())

// Wrong method names are compile errors.
fromService(orders, client, {
  tools: {
    // @ts-expect-error: no such method
    getOrder: { method: 'fetchOrdr' },
    // @ts-expect-error: not a method
    cancelOrder: { method: 'version' },
  },
})
fromService(orders, client, {
  tools: {
    // @ts-expect-error: an object with methods
    getOrder: { method: 'customers' },
    // @ts-expect-error: no such method of a member
    cancelOrder: { method: 'customers.retrive' },
  },
})
fromService(orders, client, {
  tools: {
    // @ts-expect-error: no such member
    getOrder: { method: 'customer.retrieve' },
    // @ts-expect-error: four names
    cancelOrder: { method: 'customers.cards.limits.read' },
  },
})

// Wrong tool names are compile errors, also next to correct names.
fromService(orders, client, {
  tools: {
    getOrder: { method: 'fetchOrder' },
    // @ts-expect-error: no such tool
    cancelOrdr: { method: 'cancelOrder' },
  },
})
fromService(orders, client, {
  tools: { getOrder: { method: 'fetchOrder' } },
  rename: {
    getOrder: 'get',
    // @ts-expect-error: no such tool
    cancelOrdr: 'cancel',
  },
})
fromService(orders, client, {
  tools: { getOrder: { method: 'fetchOrder' } },
  // @ts-expect-error: no such tool
  only: ['getOrder', 'cancelOrdr'],
})
const wrongNames = { getOrder: 'get', cancelOrdr: 'cancel' }
// @ts-expect-error: no such tool, in a value that is written elsewhere
fromService(orders, client, { tools: { getOrder: { method: 'fetchOrder' } }, rename: wrongNames })
fromService(orders, client, {
  only: ['cancelOrder'],
  // @ts-expect-error: not selected
  rename: { getOrder: 'get' },
})
fromService(orders, client, {
  only: ['cancelOrder'],
  tools: {
    // @ts-expect-error: not selected
    getOrder: { method: 'fetchOrder' },
  },
})

// Wrong values of other options are compile errors.
fromService(orders, client, {
  tools: {
    getOrder: {
      method: 'fetchOrder',
      rename: {
        orderId: 'id',
        // @ts-expect-error: no such payload field
        ordrId: 'id',
      },
    },
    cancelOrder: {
      // @ts-expect-error: unknown property
      reslt: { from: 'data' },
    },
  },
})
fromService(orders, client, {
  tools: {
    getOrder: {
      method: 'fetchOrder',
      // @ts-expect-error: not data
      result: { from: 'date' },
    },
    cancelOrder: {
      // @ts-expect-error: neither list nor last
      collect: 'first',
    },
  },
})
fromService(orders, client, {
  tools: {
    getOrder: { method: 'fetchOrder' },
    cancelOrder: {
      // @ts-expect-error: not JSON
      constants: { at: new Date(0) },
    },
  },
})
fromService(orders, client, {
  tools: { getOrder: { method: 'fetchOrder' } },
  // @ts-expect-error: unknown property
  onl: ['getOrder'],
})
// @ts-expect-error: not a toolset
fromService({ getOrder: tool }, client)
// @ts-expect-error: a client's place holder, not the client
fromService(allNamed, new OrdersClient())
