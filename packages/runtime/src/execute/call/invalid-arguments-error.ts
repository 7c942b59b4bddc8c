import type { Issue } from '../../contract/issue.js'
import type { ToolId } from '../../contract/tool-id.js'

/** Thrown by a call builder whose arguments break a constraint. Lists every issue at once. */
export class InvalidArgumentsError extends Error {
  override readonly name = 'InvalidArgumentsError'
  readonly tool: ToolId
  readonly issues: readonly Issue[]

  constructor(tool: ToolId, issues: readonly Issue[], options?: ErrorOptions) {
    const faults = issues.map((issue) => `  - ${issue.path === '' ? 'arguments' : issue.path}: ${issue.message}`)
    super([`the arguments of '${tool}' are not valid:`, ...faults].join('\n'), options)
    this.tool = tool
    this.issues = Object.freeze([...issues])
  }
}

/** Whether something thrown is an {@link InvalidArgumentsError}, also one of another copy of this package. */
export function isInvalidArgumentsError(error: unknown): error is InvalidArgumentsError {
  return (
    error instanceof Error && error.name === 'InvalidArgumentsError' && 'issues' in error && Array.isArray(error.issues)
  )
}
