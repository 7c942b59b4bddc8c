import type { ToolExecutor } from '../types/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import { type BindingErrorDetails, selectedTools, useName } from './binding-error.js'
import { peek } from './tool-failure.js'

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
  const errors = missingParts(use, binding, requirements)
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

/** Everything that a binding lacks, whatever its type promised: an application may be plain JavaScript. */
function missingParts(use: ToolsetUse, binding: unknown, requirements: Requirements): BindingErrorDetails[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset} = { client } or { executor }`
    return [{ code: 'missing_toolset', toolset, message }]
  }
  return [
    ...givenRegistration(toolset, binding),
    ...missingClient(toolset, binding),
    ...missingToolParts(use, binding, requirements),
  ]
}

/** A registration has an executor too; taken for a binding, its layers would be lost. */
function givenRegistration(toolset: string, binding: object): BindingErrorDetails[] {
  if (property(binding, 'wrap') === undefined) return []
  const message = `toolsets.${toolset} is a registration: give { client, layers: (tools) => tools.layer(...) }`
  return [{ code: 'invalid_registration', toolset, message }]
}

function missingClient(toolset: string, binding: object): BindingErrorDetails[] {
  const hasClient = isGiven(property(binding, 'client'))
  const hasExecutor = isGiven(property(binding, 'executor'))
  if (hasClient && hasExecutor) {
    const message = `toolset '${toolset}' has a client and an executor: give one of them`
    return [{ code: 'client_and_executor', toolset, message }]
  }
  if (hasClient || hasExecutor) return []
  const message = `toolset '${toolset}' has neither client nor executor: give toolsets.${toolset}.client`
  return [{ code: 'missing_client', toolset, message }]
}

/** Mappers and checks that tools of a use cannot do without, and that the binding lacks. */
export function missingToolParts(use: ToolsetUse, binding: object, requirements: Requirements): BindingErrorDetails[] {
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

/**
 * Returns the errors of a registration: an invalid executor, adapter or check, and checks or default layers of
 * unknown tools. An own `null` counts as absent, except for the executor.
 */
export function registrationErrors(registration: ToolsetRegistration<never>): BindingErrorDetails[] {
  return [
    ...kindFaults(registration),
    ...executorFaults(registration),
    ...adapterFaults(registration),
    ...checkFaults(registration),
    ...defaultLayerFaults(registration),
  ]
}

/** Layers stand in registrations that the runtime's own functions make. */
function kindFaults(registration: ToolsetRegistration<never>): BindingErrorDetails[] {
  if (typeof peek(registration, 'wrap') === 'function') return []
  const toolset = useName(registration.use)
  const message = `the registration of toolset '${toolset}' is a plain object: make it with toolsetRegistration(use, executor)`
  return [{ code: 'invalid_registration', toolset, message }]
}

function executorFaults({ use, executor }: ToolsetRegistration<never>): BindingErrorDetails[] {
  if (typeof peek(executor, 'execute') === 'function') return []
  const toolset = useName(use)
  const message = `the executor of toolset '${toolset}' is none (it lacks an execute function)`
  return [{ code: 'invalid_executor', toolset, message }]
}

function adapterFaults(registration: ToolsetRegistration<never>): BindingErrorDetails[] {
  const toolset = useName(registration.use)
  return (['payloadAdapter', 'resultAdapter'] as const).flatMap((name): BindingErrorDetails[] => {
    const adapter: unknown = registration[name]
    if (adapter === undefined || adapter === null || typeof adapter === 'function') return []
    return [{ code: 'invalid_adapter', toolset, message: `toolsets.${toolset}.${name} is no function` }]
  })
}

function checkFaults(registration: ToolsetRegistration<never>): BindingErrorDetails[] {
  const { use } = registration
  const toolset = useName(use)
  const checks: unknown = registration.checks ?? {}
  if (typeof checks !== 'object' || checks === null) {
    return [
      { code: 'invalid_check', toolset, message: `toolsets.${toolset}.checks is no object of checks by tool name` },
    ]
  }
  const names = new Set(selectedTools(use).map((tool) => tool.spec.name))
  return Object.entries(checks).flatMap(([tool, check]): BindingErrorDetails[] => {
    if (!names.has(tool)) {
      const message = `toolsets.${toolset}.checks.${tool} belongs to no tool of the toolset`
      return [{ code: 'unknown_tool', toolset, tool, message }]
    }
    if (typeof peek(peek(check, '~standard'), 'validate') === 'function') return []
    const message = `toolsets.${toolset}.checks.${tool} is no Standard Schema (it lacks '~standard'.validate)`
    return [{ code: 'invalid_check', toolset, tool, message }]
  })
}

function defaultLayerFaults({ use, defaultLayers }: ToolsetRegistration<never>): BindingErrorDetails[] {
  const toolset = useName(use)
  const names = new Set(selectedTools(use).map((tool) => tool.spec.name))
  return Object.keys(defaultLayers || {}).flatMap((tool): BindingErrorDetails[] => {
    if (names.has(tool)) return []
    const message = `toolsets.${toolset}.defaultLayers.${tool} belongs to no tool of the toolset`
    return [{ code: 'unknown_tool', toolset, tool, message }]
  })
}

/**
 * Provider of a toolset in an application: a client, or an executor. `Env` is the type that added layers require.
 *
 * @example
 * { client, layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type ServiceBinding<Client, ExecutorOptions, RegistrationOptions, Env = unknown> = RegistrationOptions & {
  /** Puts layers around the tools, all or single ones; gives back what `layer` and `tool` give. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
} & (
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
