import {
  bindingErrors,
  isGiven,
  type Layered,
  layeredBinding,
  type Requirements,
  type ToolsetBinding,
} from '../call/binding.js'
import { selectedTools } from '../call/registrations.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolExecutor } from '../types/executor.js'
import type { RegistrationOptions, ToolsetUse } from '../types/registration.js'

/**
 * Value of `toolsets.<name>` for a toolset with your own executor. `Env` is the type of the option `env` that the added layers require.
 *
 * @example
 * { executor: aiSdkExecutor(tools), layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type ExecutorBinding<Options extends RegistrationOptions = RegistrationOptions, Env = unknown> = Options &
  Layered<Env> & {
    readonly executor: ToolExecutor
    /**
     * Never set. Without this property, TypeScript would accept a registration as a binding, and the runtime would ignore the layers of the
     * registration.
     */
    readonly wrap?: never
  }

/**
 * Creates the registration of a toolset with an executor of the application. A registration connects a toolset with its executor and layers.
 * `binding.checks` contains additional schemas, by tool name. These schemas validate the decoded payload after the schema of the design. If
 * `binding.checks` does not contain a required schema, the schema in `executor.tools` is used.
 *
 * @param binding value of `toolsets.<name>` in the application
 * @param requirements schemas that the tools require, by tool name
 */
export function bindExecutor(
  use: ToolsetUse,
  binding: ExecutorBinding<any, any>, // `any`: options and env are in the types of generated code
  requirements: Requirements = {},
): ToolsetBinding {
  const { executor } = binding ?? {}
  const known = executor?.tools
  const own = Object.keys(requirements).map((tool) => [tool, known?.[tool]] as const)
  const complete = binding && { ...binding, checks: { ...Object.fromEntries(own), ...binding.checks } }
  const errors = bindingErrors(use, complete, requirements, {
    name: 'executor',
    hint: ' = { executor }',
    errors: (toolset) => {
      const message = `Toolset '${toolset}' has no executor. Set toolsets.${toolset}.executor.`
      if (!isGiven(executor)) return [{ code: 'missing_executor', toolset, message }]
      const others =
        known === undefined ? [] : selectedTools(use).filter(({ spec }) => !Object.hasOwn(known, spec.name))
      const names = Object.keys(known ?? {}).join(', ') || 'none'
      return others.map(({ spec: { name: tool } }) => {
        const unknown = `The executor of toolset '${toolset}' does not run '${tool}'. It runs: ${names}.`
        return { code: 'unknown_tool', toolset, tool, message: unknown }
      })
    },
  })
  if (errors.length > 0) return { use, errors }
  return layeredBinding(use, toolsetRegistration(use, executor, complete), binding.layers)
}
