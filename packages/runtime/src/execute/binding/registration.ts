import type { ToolExecutor } from '../../contract/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'

/**
 * Joins a use of a toolset with the executor that serves it.
 *
 * @example
 * runtime.registerToolset(toolsetRegistration(supportOrdersUse, executor, { decodeInExecutor: true }))
 */
export function toolsetRegistration(
  use: ToolsetUse,
  executor: ToolExecutor,
  options: RegistrationOptions = {},
): ToolsetRegistration {
  const { payloadAdapter, resultAdapter, decodeInExecutor, checks } = options
  return Object.freeze({
    use,
    executor,
    ...(payloadAdapter !== undefined && { payloadAdapter }),
    ...(resultAdapter !== undefined && { resultAdapter }),
    ...(decodeInExecutor !== undefined && { decodeInExecutor }),
    ...(checks !== undefined && { checks }),
  })
}
