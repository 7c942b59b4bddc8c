import type {
  RegistrationOptions,
  Runtime,
  ToolCallRef,
  ToolsetRegistration,
} from '../../packages/runtime/src/index.js'
import type { Shop } from './shop.js'

/** One way to serve the tools of the shop. */
export interface Provider {
  readonly name: string
  /** Its name in the design. */
  readonly kind: 'service' | 'agent' | 'mcp' | 'function'
  /** The toolset `orders` over a shop. */
  readonly make: (runtime: Runtime, shop: Shop, how: Registered) => ToolsetRegistration<any>
  /** Its own facts of a call of a tool that exists, however the call ends. */
  readonly facts: (ended: EndedFacts) => CallFacts
  /** Attributes of the spans of calls that reached a server. Absent if the provider has none. */
  readonly connection?: Readonly<Record<string, string>>
  /** Ends what it has started for the shops of a test. */
  readonly end?: () => Promise<void>
  /** Where the provider cannot be like the others, and why. */
  readonly lacks: Partial<Readonly<Record<Difference, string>>>
}

/** The end of a call, as outcomes and spans tell it. */
export interface EndedFacts {
  readonly toolCallId: string
  readonly status: string
  /** Present for a failed call. */
  readonly reason?: string | undefined
  readonly attempts: number
}

/** The facts of a call that differ by provider. */
export interface CallFacts {
  readonly service?: string
  readonly model?: string
  readonly children?: readonly ToolCallRef[]
  /** What an agent's run cost. */
  readonly usage?: { readonly turns: number; readonly promptTokens: number; readonly completionTokens: number }
}

/** What is said of a registration beside its tools. `any`: the env of its layers is known to who gives them. */
export interface Registered {
  readonly options?: RegistrationOptions | undefined
  readonly layers: (tools: ToolsetRegistration) => ToolsetRegistration<any>
}

/** What not every provider has. */
export type Difference =
  | 'examples'
  | 'defaults'
  | 'result codec'
  | 'server-owned fields'
  | 'confirmation'
  | 'tool names'
  | 'actions'
  | 'statuses'
