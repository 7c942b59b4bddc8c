import {
  bindingErrors,
  isGiven,
  type Layered,
  layeredBinding,
  type Requirements,
  type ToolsetBinding,
} from '../call/binding.js'
import type { BindingErrorDetails } from '../call/binding-error.js'
import { selectedTools } from '../call/registrations.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolExecutor } from '../types/executor.js'
import type { RegistrationOptions, ToolsetUse } from '../types/registration.js'

/**
 * Provider of a toolset that an executor of the application runs. `Env` is the type that added layers require.
 *
 * @example
 * { executor: aiSdkExecutor(tools), layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type ExecutorBinding<Options extends RegistrationOptions = RegistrationOptions, Env = unknown> = Options &
  Layered<Env> & {
    readonly executor: ToolExecutor
    /** Rejects registrations, whose layers would be ignored. */
    readonly wrap?: never
  }

/**
 * Creates the registration of a toolset that an executor of the application runs. For tools without a check in the
 * options, the schemas of the executor are the checks.
 *
 * @param binding value of `toolsets.<name>` in the application
 * @param requirements the checks that tools require, by tool name
 */
export function bindExecutor(
  use: ToolsetUse,
  binding: ExecutorBinding<any, any>, // `any`: options and env are in the types of generated code
  requirements: Requirements = {},
): ToolsetBinding {
  const { executor } = binding ?? {}
  const own = Object.keys(requirements).flatMap((tool) => {
    const check = executor?.tools?.[tool]
    return check === undefined ? [] : [[tool, check]]
  })
  const complete = binding && { ...binding, checks: { ...Object.fromEntries(own), ...binding.checks } }
  const errors = bindingErrors(use, complete, requirements, {
    name: 'executor',
    hint: ' = { executor }',
    errors: (toolset) => executorErrors(use, toolset, executor),
  })
  if (errors.length > 0) return { use, errors }
  return layeredBinding(use, toolsetRegistration(use, executor, complete), binding.layers)
}

function executorErrors(use: ToolsetUse, toolset: string, executor: ToolExecutor | undefined): BindingErrorDetails[] {
  if (!isGiven(executor)) {
    const message = `Toolset '${toolset}' has no executor. Set toolsets.${toolset}.executor.`
    return [{ code: 'missing_executor', toolset, message }]
  }
  const known = executor?.tools
  if (known === undefined) return []
  return selectedTools(use).flatMap(({ spec: { name: tool } }): BindingErrorDetails[] => {
    if (Object.hasOwn(known, tool)) return []
    const names = Object.keys(known).join(', ') || 'none'
    const message = `The executor of toolset '${toolset}' does not run '${tool}'. It runs: ${names}.`
    return [{ code: 'unknown_tool', toolset, tool, message }]
  })
}
