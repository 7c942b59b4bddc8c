import { ToolFailure } from '../execute/failure/tool-failure.js'

/** The failure of an argument that its schema takes and no request can carry. */
export function refusedArgument(field: string, why: string): ToolFailure {
  return new ToolFailure(`${JSON.stringify(field)} ${why}.`, { reason: 'invalid_arguments', noExample: true })
}
