/** What is wrong with a binding. */
export type BindingFaultKind =
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
  | 'missing_mapper'
  | 'missing_check'
  | 'invalid_check'
  | 'invalid_adapter'
  | 'invalid_registration'
  | 'invalid_layers'
  | 'invalid_executor'
  | 'unknown_tool'
  | 'duplicate_toolset'
  | 'duplicate_wire_name'

/** One fault of a binding. */
export interface BindingFault {
  readonly kind: BindingFaultKind
  /** The toolset's name in the agent. */
  readonly toolset: string
  /** The tool's name within the toolset, where the fault is about one tool. */
  readonly tool?: string
  /** What is wrong and what to do. */
  readonly message: string
}

/** Thrown when an agent or a toolset cannot be registered. Lists every fault at once. */
export class BindingError extends Error {
  override readonly name = 'BindingError'
  readonly faults: readonly BindingFault[]

  constructor(subject: string, faults: readonly BindingFault[]) {
    super([`${subject} cannot be registered:`, ...faults.map((fault) => `  - ${fault.message}`)].join('\n'))
    this.faults = Object.freeze([...faults])
  }
}

/** Whether something thrown is a {@link BindingError}, also one of another copy of this package. */
export function isBindingError(error: unknown): error is BindingError {
  return error instanceof Error && error.name === 'BindingError' && 'faults' in error && Array.isArray(error.faults)
}
