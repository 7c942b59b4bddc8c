import { ToolFailure } from '../failure/tool-failure.js'

/** An argument passed the codec and still cannot be turned into what the method takes. */
export function unusableArgument(what: string): ToolFailure {
  return new ToolFailure(`${what} in the arguments cannot be used by the service.`, { action: 'correct_call' })
}

/** The service answered with something that the declared result cannot carry. */
export function resultBreaksContract(what: string): ToolFailure {
  return new ToolFailure(`The service answered with ${what}.`, { reason: 'malformed_result' })
}
