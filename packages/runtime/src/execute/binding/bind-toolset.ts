import type { ToolExecutor } from '../../contract/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'
import type { BindingFault } from './binding-error.js'
import { missingParts } from './missing-parts.js'
import type { Requirements, ServiceBinding } from './service-binding.js'

/** A toolset on its way into an agent: its registration, or what is missing for one. */
export interface ToolsetBinding {
  readonly use: ToolsetUse
  readonly registration?: ToolsetRegistration<any> // `any`: the env that its layers need is in the types of generated code
  /** Empty exactly when there is a registration. */
  readonly faults: readonly BindingFault[]
}

/**
 * Makes the registration of one toolset from what the application gave. Never throws for what is missing:
 * `registerAgent` reports the faults of all toolsets together.
 *
 * @param binding what the application gave under `toolsets.<name>`
 * @param requirements what the tools cannot do without, by tool name
 */
export function bindToolset<Client, ExecutorOptions, Options extends RegistrationOptions>(
  use: ToolsetUse,
  binding: ServiceBinding<Client, ExecutorOptions, Options, any>, // `any`: see `registration` above
  newExecutor: (client: Client, options: ExecutorOptions) => ToolExecutor,
  newRegistration: (executor: ToolExecutor, options: Options) => ToolsetRegistration<any>,
  requirements: Requirements = {},
): ToolsetBinding {
  const faults = missingParts(use, binding, requirements)
  if (faults.length > 0) return { use, faults }
  if (isRegistration(binding)) return { use, registration: binding, faults }
  const executor = binding.executor ? binding.executor : newExecutor(binding.client, binding)
  return { use, registration: newRegistration(executor, binding), faults }
}

function isRegistration(binding: object): binding is ToolsetRegistration<any> {
  return 'wrap' in binding && typeof binding.wrap === 'function'
}
