import type { ToolExecutor } from '../../contract/executor.js'
import type { ToolsetRegistration } from '../../contract/registration.js'

/**
 * How an application serves a toolset: by its client, or by an executor of its own. `Env` names what the layers that it
 * adds need.
 *
 * @example
 * { client, layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type ServiceBinding<Client, ExecutorOptions, RegistrationOptions, Env = unknown> = RegistrationOptions & {
  /** Puts layers around the tools, all or single ones; gives back what `layer` and `tool` give. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
} & (
    | ({ readonly client: Client; readonly executor?: never } & ExecutorOptions)
    | {
        readonly executor: ToolExecutor
        readonly client?: never
        readonly mappers?: never
        /** A registration is no binding: its layers would be lost. */
        readonly wrap?: never
      }
  )

/** What a tool of a use cannot do without: a mapper for its payload, updates or result, or a check of its payload. */
export type Requirement = 'payload' | 'update' | 'result' | 'check'

/** What each tool requires, by tool name. */
export type Requirements = Readonly<Record<string, readonly Requirement[]>>
