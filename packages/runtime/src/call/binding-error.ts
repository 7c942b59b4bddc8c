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

/** One error of a binding. */
export interface BindingErrorDetails {
  readonly code: BindingErrorCode
  /** The toolset's name in the agent. */
  readonly toolset: string
  /** The tool's name within the toolset, where the error is about one tool. */
  readonly tool?: string
  /** Problem and next step. */
  readonly message: string
}

/** Thrown when an agent or a toolset cannot be registered. Lists every error at once. */
export class BindingError extends Error {
  override readonly name = 'BindingError'
  readonly errors: readonly BindingErrorDetails[]

  constructor(subject: string, errors: readonly BindingErrorDetails[]) {
    super([`${subject} cannot be registered:`, ...errors.map((error) => `  - ${error.message}`)].join('\n'))
    this.errors = Object.freeze([...errors])
  }
}
