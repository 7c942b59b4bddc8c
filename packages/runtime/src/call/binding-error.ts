type BindingErrorCode =
  | 'missing_toolset'
  | 'missing_client'
  | 'client_and_executor'
  | 'missing_caller'
  | 'invalid_caller'
  | 'caller_and_executor'
  | 'missing_base_url'
  | 'missing_agent'
  | 'agent_and_executor'
  | 'wrong_agent'
  | 'missing_executor'
  | 'missing_mapper'
  | 'missing_check'
  | 'invalid_check'
  | 'invalid_adapter'
  | 'invalid_registration'
  | 'invalid_layers'
  | 'invalid_executor'
  | 'unknown_tool'
  | 'duplicate_toolset'
  | 'duplicate_tool_name'

/** One reason why an agent or a toolset cannot be registered. */
export interface BindingErrorDetails {
  readonly code: BindingErrorCode
  /** Name of the toolset in the agent. */
  readonly toolset: string
  /** Name of the tool within the toolset. Omitted if the problem concerns the whole toolset. */
  readonly tool?: string
  /** Description of the problem and of the next step. */
  readonly message: string
}

/** Thrown if an agent or a toolset cannot be registered. `errors` lists every problem. */
export class BindingError extends Error {
  override readonly name = 'BindingError'
  readonly errors: readonly BindingErrorDetails[]

  constructor(subject: string, errors: readonly BindingErrorDetails[]) {
    super([`Cannot register ${subject}:`, ...errors.map((error) => `  - ${error.message}`)].join('\n'))
    this.errors = Object.freeze([...errors])
  }
}
