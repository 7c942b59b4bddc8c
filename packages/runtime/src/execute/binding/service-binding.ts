import type { ToolExecutor } from '../../contract/executor.js'

/** How an application serves a toolset: by its client, or by an executor of its own. */
export type ServiceBinding<Client, Options> =
  | ({ readonly client: Client; readonly executor?: never } & Options)
  | { readonly executor: ToolExecutor; readonly client?: never; readonly mappers?: never }

/** What a tool of a use cannot do without: a mapper for its payload or its result, or a check of its payload. */
export type Requirement = 'payload' | 'result' | 'check'

/** What each tool requires, by tool name. */
export type Requirements = Readonly<Record<string, readonly Requirement[]>>
