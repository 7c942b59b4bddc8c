import type { RegistrationOptions, ToolExecutor, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { ToolDescriptor, ToolSpec } from '../types/tool.js'
import { peek } from './tool-failure.js'

type BindingErrorCode =
  | 'missing_toolset'
  | 'missing_client'
  | 'client_and_executor'
  | 'missing_caller'
  | 'invalid_caller'
  | 'caller_and_executor'
  | 'missing_base_url'
  | 'missing_agent'
  | 'agent_and_executor'
  | 'wrong_agent'
  | 'missing_mapper'
  | 'missing_check'
  | 'invalid_check'
  | 'invalid_adapter'
  | 'invalid_registration'
  | 'invalid_layers'
  | 'invalid_executor'
  | 'unknown_tool'
  | 'duplicate_toolset'
  | 'duplicate_wire_name'

/** One error of a binding. */
export interface BindingErrorDetails {
  readonly code: BindingErrorCode
  /** The toolset's name in the agent. */
  readonly toolset: string
  /** The tool's name within the toolset, where the error is about one tool. */
  readonly tool?: string
  /** Problem and next step. */
  readonly message: string
}

/** Thrown when an agent or a toolset cannot be registered. Lists every error at once. */
export class BindingError extends Error {
  override readonly name = 'BindingError'
  readonly errors: readonly BindingErrorDetails[]

  constructor(subject: string, errors: readonly BindingErrorDetails[]) {
    super([`${subject} cannot be registered:`, ...errors.map((error) => `  - ${error.message}`)].join('\n'))
    this.errors = Object.freeze([...errors])
  }
}

/** Returns the conflicts between uses of one agent: equal names, equal tool names, unknown tools. */
export function useErrors(uses: readonly ToolsetUse[]): BindingErrorDetails[] {
  const toolsets: BindingErrorDetails[] = []
  const tools: BindingErrorDetails[] = []
  const seen = new Set<string>()
  const owners = new Map<string, string>()
  for (const use of uses) {
    const toolset = useName(use)
    if (seen.has(toolset)) {
      const message = `two toolsets are called '${toolset}': give one of them another name with \`as\``
      toolsets.push({ code: 'duplicate_toolset', toolset, message })
      continue
    }
    seen.add(toolset)
    for (const { spec } of selectedTools(use)) {
      const toolName = toolNameIn(use, spec)
      const id = `${toolset}.${spec.name}`
      const owner = owners.get(toolName)
      if (owner === undefined) {
        owners.set(toolName, id)
        continue
      }
      const message = `'${owner}' and '${id}' have the tool name '${toolName}': give one of them another with \`rename\``
      tools.push({ code: 'duplicate_wire_name', toolset, tool: spec.name, message })
    }
  }
  const unknown = uses.flatMap((use) => {
    const toolset = useName(use)
    const names = Object.keys(use.toolNames ?? {})
    const unknownNames = names.filter((tool) => !use.toolset.tools.some(({ spec }) => spec.name === tool))
    return unknownNames.map((tool): BindingErrorDetails => {
      return {
        code: 'unknown_tool',
        toolset,
        tool,
        message: `toolset '${toolset}' has no tool '${tool}' to give a tool name to`,
      }
    })
  })
  return [...toolsets, ...tools, ...unknown]
}

/** The name by which an agent knows a toolset: `as`, else the toolset's own. */
export function useName(use: ToolsetUse): string {
  return use.as ?? use.toolset.name
}

/** The selected tools of a use, in the order of the toolset. */
export function selectedTools(use: ToolsetUse): readonly ToolDescriptor[] {
  const { toolNames } = use
  if (toolNames === undefined) return use.toolset.tools
  return use.toolset.tools.filter((tool) => Object.hasOwn(toolNames, tool.spec.name))
}

/** The name that the agent's model sees: the use's, else the tool's own. */
export function toolNameIn(use: ToolsetUse, spec: ToolSpec): string {
  const { toolNames } = use
  const renamed = toolNames !== undefined && Object.hasOwn(toolNames, spec.name) ? toolNames[spec.name] : undefined
  return renamed ?? spec.toolName
}

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
  readonly name: 'client' | 'caller' | 'agent' | 'auth'
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

/**
 * Checks registrations together, whatever their types promised.
 *
 * @param errors already known
 * @throws {BindingError} listing every error.
 */
export function requireRegistrations(
  subject: string,
  uses: readonly ToolsetUse[],
  registrations: readonly ToolsetRegistration<never>[],
  errors: readonly BindingErrorDetails[] = [],
): void {
  const all = [...errors, ...useErrors(uses), ...registrations.flatMap(registrationErrors)]
  if (all.length > 0) throw new BindingError(subject, all)
}

/** Returns the invalid parts of a registration. An own `null` counts as absent, except for the executor. */
function registrationErrors(registration: ToolsetRegistration<never>): BindingErrorDetails[] {
  const { use, executor, defaultLayers } = registration
  const toolset = useName(use)
  const errors: BindingErrorDetails[] = []
  // Only the runtime's own functions create registrations with layers.
  if (typeof peek(registration, 'wrap') !== 'function') {
    const message = `the registration of toolset '${toolset}' is a plain object: make it with toolsetRegistration(use, executor)`
    errors.push({ code: 'invalid_registration', toolset, message })
  }
  if (typeof peek(executor, 'execute') !== 'function') {
    const message = `the executor of toolset '${toolset}' is none (it lacks an execute function)`
    errors.push({ code: 'invalid_executor', toolset, message })
  }
  for (const name of ['payloadAdapter', 'resultAdapter'] as const) {
    if (typeof (registration[name] ?? Boolean) === 'function') continue
    errors.push({ code: 'invalid_adapter', toolset, message: `toolsets.${toolset}.${name} is no function` })
  }
  const names = new Set(selectedTools(use).map(({ spec }) => spec.name))
  const addUnknown = (option: string, tool: string): void => {
    const message = `toolsets.${toolset}.${option}.${tool} belongs to no tool of the toolset`
    errors.push({ code: 'unknown_tool', toolset, tool, message })
  }
  const checks: unknown = registration.checks ?? {}
  if (typeof checks !== 'object' || checks === null) {
    const message = `toolsets.${toolset}.checks is no object of checks by tool name`
    errors.push({ code: 'invalid_check', toolset, message })
  } else {
    for (const [tool, check] of Object.entries(checks)) {
      if (!names.has(tool)) addUnknown('checks', tool)
      else if (typeof peek(peek(check, '~standard'), 'validate') !== 'function') {
        const message = `toolsets.${toolset}.checks.${tool} is no Standard Schema (it lacks '~standard'.validate)`
        errors.push({ code: 'invalid_check', toolset, tool, message })
      }
    }
  }
  for (const tool of Object.keys(defaultLayers || {})) if (!names.has(tool)) addUnknown('defaultLayers', tool)
  return errors
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
