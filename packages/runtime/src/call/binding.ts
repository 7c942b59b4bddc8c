import type { ToolExecutor } from '../types/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { BindingErrorDetails } from './binding-error.js'
import { selectedTools, useName } from './registrations.js'

/** A toolset on its way into an agent: its registration, or what is missing for one. */
export interface ToolsetBinding {
  readonly use: ToolsetUse
  readonly registration?: ToolsetRegistration<any> // `any`: the env that its layers need is in the types of generated code
  /** Empty exactly when there is a registration. */
  readonly errors: readonly BindingErrorDetails[]
}

/**
 * Makes the registration of one toolset from what the application gave. Never throws for what is missing:
 * `registerAgent` reports the errors of all toolsets together.
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
  const errors = bindingErrors(use, binding, requirements, {
    name: 'client',
    errors: (toolset, provider) => providerErrors(toolset, provider, 'client'),
  })
  if (errors.length > 0) return { use, errors }
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
  if (layers === undefined || layers === null) return { use, registration, errors: [] }
  const around = typeof layers === 'function' ? layers(registration) : undefined
  if (isRegistrationOf(use, around)) return { use, registration: around, errors: [] }
  const toolset = useName(use)
  const message = `toolsets.${toolset}.layers gives back no registration: write (tools) => tools.layer(...)`
  return { use, errors: [{ code: 'invalid_layers', toolset, message }] }
}

function isRegistrationOf(use: ToolsetUse, value: unknown): value is ToolsetRegistration<any> {
  return typeof value === 'object' && value !== null && 'wrap' in value && 'use' in value && value.use === use
}

/** Provider of a toolset in bindings: the texts of its errors, and the checks of its own. */
interface BindingProvider {
  /** Property of the binding, for examples. */
  readonly name: 'client' | 'caller' | 'agent' | 'auth' | 'executor'
  /** Text after `give toolsets.<name>` for a missing binding. Default: e.g. ` = { client } or { executor }`. */
  readonly hint?: string
  /** Returns the errors of a binding that is an object. */
  readonly errors: (toolset: string, binding: object) => readonly BindingErrorDetails[]
}

/** Returns the errors of a binding, whatever its type promised: an application may be plain JavaScript. */
export function bindingErrors(
  use: ToolsetUse,
  binding: unknown,
  requirements: Requirements,
  { name, hint = ` = { ${name} } or { executor }`, errors }: BindingProvider,
): BindingErrorDetails[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    return [
      { code: 'missing_toolset', toolset, message: `toolset '${toolset}' is missing: give toolsets.${toolset}${hint}` },
    ]
  }
  const found = [...errors(toolset, binding), ...missingToolParts(use, binding, requirements)]
  if (property(binding, 'wrap') === undefined) return found
  // A registration has an executor too; taken for a binding, its layers would be lost.
  const message = `toolsets.${toolset} is a registration: give { ${name}, layers: (tools) => tools.layer(...) }`
  return [{ code: 'invalid_registration', toolset, message }, ...found]
}

/** Returns the error of a binding that has not exactly one of a provider and an executor. */
export function providerErrors(
  toolset: string,
  binding: object,
  name: 'client' | 'caller' | 'agent',
  hint: string = `.${name}`,
): BindingErrorDetails[] {
  const hasProvider = isGiven(property(binding, name))
  if (hasProvider !== isGiven(property(binding, 'executor'))) return []
  const message = hasProvider
    ? `toolset '${toolset}' has ${name === 'agent' ? 'an' : 'a'} ${name} and an executor: give one of them`
    : `toolset '${toolset}' has neither ${name} nor executor: give toolsets.${toolset}${hint}`
  return [{ code: hasProvider ? `${name}_and_executor` : `missing_${name}`, toolset, message }]
}

/** Mappers and checks that tools of a use cannot do without, and that the binding lacks. */
function missingToolParts(use: ToolsetUse, binding: object, requirements: Requirements): BindingErrorDetails[] {
  const toolset = useName(use)
  const mappersApply = !isGiven(property(binding, 'executor'))
  return selectedTools(use).flatMap(({ spec: { name: tool } }) => {
    const required = Object.hasOwn(requirements, tool) ? (requirements[tool] ?? []) : []
    return required.flatMap((part): BindingErrorDetails[] => {
      if (part === 'check') {
        if (isGiven(property(property(binding, 'checks'), tool))) return []
        const message = `tool '${toolset}.${tool}' needs its schema as a check: give toolsets.${toolset}.checks.${tool}`
        return [{ code: 'missing_check', toolset, tool, message }]
      }
      if (!mappersApply || typeof property(property(property(binding, 'mappers'), tool), part) === 'function') return []
      const message = `tool '${toolset}.${tool}' needs ${part === 'update' ? 'an' : 'a'} ${part} mapper: give toolsets.${toolset}.mappers.${tool}.${part}`
      return [{ code: 'missing_mapper', toolset, tool, message }]
    })
  })
}

/** Returns whether a value is present: `null` counts as absent. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** An own or inherited property of what an application gave, but for those of every object. */
export function property(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  // Names of tools come from users: `constructor` must not find Object.prototype.constructor.
  return key in value && !(key in Object.prototype && !Object.hasOwn(value, key)) ? Reflect.get(value, key) : undefined
}

/** Layers that a binding adds. */
export interface Layered<Env> {
  /** Adds layers to all tools or to single ones; returns what `layer` and `tool` return. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
}

/**
 * Provider of a toolset in an application: a client, or an executor. `Env` is the type that added layers require.
 *
 * @example
 * { client, layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type ServiceBinding<Client, ExecutorOptions, RegistrationOptions, Env = unknown> = RegistrationOptions &
  Layered<Env> &
  (
    | ({ readonly client: Client; readonly executor?: never } & ExecutorOptions)
    | {
        readonly executor: ToolExecutor
        readonly client?: never
        readonly mappers?: never
        /** A registration is no binding: its layers would be lost. */
        readonly wrap?: never
      }
  )

/** Required part of a tool's binding: a mapper for its payload, updates or result, or a check of its payload. */
export type Requirement = 'payload' | 'update' | 'result' | 'check'

/** Requirements of each tool, by tool name. */
export type Requirements = Readonly<Record<string, readonly Requirement[]>>
