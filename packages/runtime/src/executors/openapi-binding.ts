import {
  bindingErrors,
  isGiven,
  type Layered,
  layeredBinding,
  property,
  type Requirements,
  type ToolsetBinding,
} from '../call/binding.js'
import type { BindingErrorDetails } from '../call/binding-error.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolExecutor } from '../types/executor.js'
import type { RegistrationOptions, ToolsetUse } from '../types/registration.js'
import type { OpenApiExecutorOptions, ToolsetApi } from './openapi-api.js'
import { invalidOption, missingBaseUrl } from './openapi-exchange.js'
import { openApiExecutor } from './openapi-executor.js'
/**
 * Value of `toolsets.<name>` for the tools of an HTTP API: options for the generated executor, or your own executor. `Env` is the type of the option
 * `env` that the added layers require.
 *
 * @example
 * { auth: { api_key: process.env.PETS_KEY }, layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type OpenApiBinding<
  Options extends RegistrationOptions = RegistrationOptions,
  ExecutorOptions extends OpenApiExecutorOptions = OpenApiExecutorOptions,
  Env = unknown,
> = Options &
  Layered<Env> &
  (
    | (ExecutorOptions & { readonly executor?: never })
    | {
        readonly executor: ToolExecutor
        readonly baseUrl?: never
        readonly auth?: never
        /**
         * Never set. Without this property, TypeScript would accept a registration as a binding, and the runtime would ignore the layers of the
         * registration.
         */
        readonly wrap?: never
      }
  )

/**
 * Creates the registration of a toolset for an HTTP API. A registration connects a toolset with its executor and layers. Returns errors instead of
 * throwing errors, so that `registerAgent` can report the errors of all toolsets together.
 *
 * @param binding value of `toolsets.<name>` in the application
 * @param requirements options that tools require, by tool name
 */
export function bindOpenApiToolset(
  use: ToolsetUse,
  binding: OpenApiBinding<any, any, any>, // `any`: options and env are in the types of generated code
  api: ToolsetApi,
  requirements: Requirements = {},
): ToolsetBinding {
  const errors = bindingErrors(use, binding, requirements, {
    name: 'auth',
    errors: (toolset) => optionErrors(toolset, binding, api),
  })
  if (errors.length > 0) return { use, errors }
  const executor = binding.executor ?? openApiExecutor(api, binding)
  return layeredBinding(use, toolsetRegistration(use, executor, binding), binding.layers)
}

function optionErrors(toolset: string, binding: OpenApiExecutorOptions, api: ToolsetApi): BindingErrorDetails[] {
  if (isGiven(property(binding, 'executor'))) return []
  const missing = missingBaseUrl(api, binding)
  const invalid = invalidOption(binding)
  const message = `${missing} in toolsets.${toolset}`
  return [
    ...(missing === undefined ? [] : [{ code: 'missing_base_url', toolset, message } as const]),
    ...(invalid === undefined
      ? []
      : [{ code: 'invalid_registration', toolset, message: `toolsets.${toolset}.${invalid}` } as const]),
  ]
}
