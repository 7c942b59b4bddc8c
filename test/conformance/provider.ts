import type {
  RegistrationOptions,
  Runtime,
  ToolCallRef,
  ToolsetRegistration,
} from '../../packages/runtime/src/index.js'
import type { Shop } from './shop.js'

/** A way to serve the tools of the shop. */
export interface Provider {
  readonly name: string
  /** Kind of the provider in the design. */
  readonly kind: 'service' | 'agent' | 'mcp' | 'function'
  /** Creates the toolset `orders` over a shop. */
  readonly make: (runtime: Runtime, shop: Shop, how: Registered) => ToolsetRegistration<any>
  /** Returns the provider-specific facts of a call to an existing tool. */
  readonly facts: (ended: EndedFacts) => CallFacts
  /** Attributes of the spans of calls that reached a server. Omitted by providers without a server. */
  readonly connection?: Readonly<Record<string, string>>
  /** Releases the resources of a test. */
  readonly end?: () => Promise<void>
  /** Features that the provider does not support, with reasons. */
  readonly lacks: Partial<Readonly<Record<Difference, string>>>
}

/** Data of an ended call, from an outcome or a span. */
export interface EndedFacts {
  readonly toolCallId: string
  readonly status: string
  /** Set for a failed call. */
  readonly reason?: string | undefined
  readonly attempts: number
}

/** Provider-specific facts of a call. */
export interface CallFacts {
  readonly service?: string
  readonly model?: string
  readonly children?: readonly ToolCallRef[]
  /** Usage of an agent's run. */
  readonly usage?: { readonly turns: number; readonly promptTokens: number; readonly completionTokens: number }
}

/** Options and layers of a registration. `any`: only the caller knows the env of its layers. */
export interface Registered {
  readonly options?: RegistrationOptions | undefined
  readonly layers: (tools: ToolsetRegistration) => ToolsetRegistration<any>
}

/** Features that not every provider supports. */
export type Difference =
  | 'examples'
  | 'defaults'
  | 'result codec'
  | 'server-owned fields'
  | 'confirmation'
  | 'tool names'
  | 'actions'
  | 'statuses'
