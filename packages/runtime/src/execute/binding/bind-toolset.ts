import type { ToolExecutor } from '../../contract/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'
import type { BindingFault } from './binding-error.js'
import { missingParts } from './missing-parts.js'
import type { Requirements, ServiceBinding } from './service-binding.js'
import { useName } from './use-name.js'

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
  const executor = binding.executor ? binding.executor : newExecutor(binding.client, binding)
  const registration = newRegistration(executor, binding)
  return layeredBinding(use, registration, binding.layers)
}

/** A registration with the layers that the application puts around it. */
export function layeredBinding(
  use: ToolsetUse,
  registration: ToolsetRegistration<any>,
  layers: ((tools: ToolsetRegistration<any>) => unknown) | undefined | null,
): ToolsetBinding {
  if (layers === undefined || layers === null) return { use, registration, faults: [] }
  const around = typeof layers === 'function' ? layers(registration) : undefined
  if (isRegistrationOf(use, around)) return { use, registration: around, faults: [] }
  const toolset = useName(use)
  const message = `toolsets.${toolset}.layers gives back no registration: write (tools) => tools.layer(...)`
  return { use, faults: [{ kind: 'invalid_layers', toolset, message }] }
}

function isRegistrationOf(use: ToolsetUse, value: unknown): value is ToolsetRegistration<any> {
  return typeof value === 'object' && value !== null && 'wrap' in value && 'use' in value && value.use === use
}
