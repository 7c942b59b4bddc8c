import type { ToolExecutor } from '../../contract/executor.js'
import type { ToolsetRegistration } from '../../contract/registration.js'

/**
 * How an application serves a toolset: by its client, by an executor of its own, or by a registration that has layers
 * already. `Env` names what those need.
 */
export type ServiceBinding<Client, ExecutorOptions, RegistrationOptions, Env = unknown> =
  | ({ readonly client: Client; readonly executor?: never } & ExecutorOptions & RegistrationOptions)
  | ({
      readonly executor: ToolExecutor
      readonly client?: never
      readonly mappers?: never
      readonly layer?: never
    } & RegistrationOptions)
  | ToolsetRegistration<Env>

/** What a tool of a use cannot do without: a mapper for its payload or its result, or a check of its payload. */
export type Requirement = 'payload' | 'result' | 'check'

/** What each tool requires, by tool name. */
export type Requirements = Readonly<Record<string, readonly Requirement[]>>
