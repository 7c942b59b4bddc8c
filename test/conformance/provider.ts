import type { RegistrationOptions, Runtime, ToolsetRegistration } from '../../packages/runtime/src/index.js'
import type { Shop } from './shop.js'

/** One way to serve the tools of the shop. */
export interface Provider {
  readonly name: string
  /** The toolset `orders` over a shop. */
  readonly make: (runtime: Runtime, shop: Shop, how: Registered) => ToolsetRegistration<any>
  /** What provenance says of its results beside what it says of all. */
  readonly provenance: readonly string[]
  /** Ends what it has started for the shops of a test. */
  readonly end?: () => Promise<void>
  /** Where the provider cannot be like the others, and why. */
  readonly lacks: Partial<Readonly<Record<Difference, string>>>
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
  | 'wire names'
  | 'actions'
  | 'statuses'
