import type { ToolExecutor } from '../contract/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../contract/registration.js'
import { layeredBinding, type ToolsetBinding } from '../execute/binding/bind-toolset.js'
import type { BindingFault } from '../execute/binding/binding-error.js'
import { isGiven, missingOfTools, property } from '../execute/binding/missing-parts.js'
import type { Requirements } from '../execute/binding/service-binding.js'
import { useName } from '../execute/binding/use-name.js'
import { toolsetRegistration } from '../layer/registration.js'
import { givenOptionFault } from './given-options.js'
import { lackingBaseUrl, openApiExecutor } from './openapi-executor.js'
import type { OpenApiExecutorOptions } from './openapi-executor-options.js'
import type { ToolsetApi } from './toolset-api.js'

/**
 * How an application serves a toolset of an HTTP API: by saying where the API is and who asks, or by an executor of its
 * own. `Env` names what the layers that it adds need.
 *
 * @example
 * { auth: { api_key: process.env.PETS_KEY }, layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type OpenApiBinding<
  Options extends RegistrationOptions = RegistrationOptions,
  ExecutorOptions extends OpenApiExecutorOptions = OpenApiExecutorOptions,
  Env = unknown,
> = Options & {
  /** Puts layers around the tools, all or single ones; gives back what `layer` and `tool` give. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
} & (
    | (ExecutorOptions & { readonly executor?: never })
    | {
        readonly executor: ToolExecutor
        readonly baseUrl?: never
        readonly auth?: never
        /** A registration is no binding: its layers would be lost. */
        readonly wrap?: never
      }
  )

/**
 * Makes the registration of a toolset of an HTTP API from what the application gave. Never throws for what is missing:
 * `registerAgent` reports the faults of all toolsets together.
 *
 * @param binding what the application gave under `toolsets.<name>`
 * @param requirements what the tools cannot do without, by tool name
 */
export function bindOpenApiToolset(
  use: ToolsetUse,
  binding: OpenApiBinding<any, any, any>, // `any`: options and env are in the types of generated code
  api: ToolsetApi,
  requirements: Requirements = {},
): ToolsetBinding {
  const faults = openApiFaults(use, binding, api, requirements)
  if (faults.length > 0) return { use, faults }
  const executor = binding.executor ?? openApiExecutor(api, binding)
  return layeredBinding(use, toolsetRegistration(use, executor, binding), binding.layers)
}

function openApiFaults(
  use: ToolsetUse,
  binding: unknown,
  api: ToolsetApi,
  requirements: Requirements,
): readonly BindingFault[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset} = { auth } or { executor }`
    return [{ kind: 'missing_toolset', toolset, message }]
  }
  if (property(binding, 'wrap') !== undefined) {
    const message = `toolsets.${toolset} is a registration: give { auth, layers: (tools) => tools.layer(...) }`
    return [{ kind: 'invalid_registration', toolset, message }]
  }
  const lacking = isGiven(property(binding, 'executor')) ? undefined : lackingBaseUrl(api, binding)
  const missing: readonly BindingFault[] =
    lacking === undefined
      ? []
      : [{ kind: 'missing_base_url', toolset, message: `${lacking} as toolsets.${toolset}.baseUrl` }]
  const fault = isGiven(property(binding, 'executor')) ? undefined : givenOptionFault(binding)
  const wrong: readonly BindingFault[] =
    fault === undefined ? [] : [{ kind: 'invalid_registration', toolset, message: `toolsets.${toolset}.${fault}` }]
  return [...missing, ...wrong, ...missingOfTools(use, { ...binding, executor: true }, requirements)]
}
