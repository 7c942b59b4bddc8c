import type { ToolExecutor } from '../types/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { BindingErrorDetails } from './binding-error.js'
import { selectedTools, useName } from './registrations.js'

/** Result of {@link bindToolset}: the registration of a toolset, or the errors that prevent the registration. */
export interface ToolsetBinding {
  readonly use: ToolsetUse
  readonly registration?: ToolsetRegistration<any> // `any`: generated code has the precise type
  /** Errors that prevent the registration. Empty if `registration` is present. */
  readonly errors: readonly BindingErrorDetails[]
}

/**
 * Creates the registration of one toolset from the application's binding, for example `{ client }`. Returns errors instead of throwing
 * errors, so that `registerAgent` can report the errors of all toolsets together.
 *
 * @param binding value that the application passed as `toolsets.<name>`
 * @param requirements tool name → values that the application must provide, for example `['payload', 'check']`
 */
export function bindToolset<Client, ExecutorOptions, Options extends RegistrationOptions>(
  use: ToolsetUse,
  binding: ServiceBinding<Client, ExecutorOptions, Options, any>, // `any`: generated code has the precise type
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

export function layeredBinding(
  use: ToolsetUse,
  registration: ToolsetRegistration<any>,
  layers: ((tools: ToolsetRegistration<any>) => unknown) | undefined | null,
): ToolsetBinding {
  if (layers === undefined || layers === null) return { use, registration, errors: [] }
  const around = typeof layers === 'function' ? layers(registration) : undefined
  if (isRegistrationOf(use, around)) return { use, registration: around, errors: [] }
  const toolset = useName(use)
  const message = `\`toolsets.${toolset}.layers\` must return a registration. Write \`(tools) => tools.layer(...)\`.`
  return { use, errors: [{ code: 'invalid_layers', toolset, message }] }
}

function isRegistrationOf(use: ToolsetUse, value: unknown): value is ToolsetRegistration<any> {
  return typeof value === 'object' && value !== null && 'wrap' in value && 'use' in value && value.use === use
}

interface BindingProvider {
  readonly name: 'client' | 'caller' | 'agent' | 'auth' | 'executor'
  readonly hint?: string
  readonly errors: (toolset: string, binding: object) => readonly BindingErrorDetails[]
}

/** `binding` is `unknown`, because applications in plain JavaScript can pass any value. */
export function bindingErrors(
  use: ToolsetUse,
  binding: unknown,
  requirements: Requirements,
  { name, hint = ` = { ${name} } or { executor }`, errors }: BindingProvider,
): BindingErrorDetails[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    return [
      { code: 'missing_toolset', toolset, message: `Toolset '${toolset}' is missing. Set toolsets.${toolset}${hint}.` },
    ]
  }
  const found = [...errors(toolset, binding), ...missingToolParts(use, binding, requirements)]
  if (property(binding, 'wrap') === undefined) return found
  // A registration has an `executor` too, so it would be accepted as a binding, without its layers.
  const message = `toolsets.${toolset} is a registration. Use { ${name}, layers: (tools) => tools.layer(...) } instead.`
  return [{ code: 'invalid_registration', toolset, message }, ...found]
}

export function providerErrors(
  toolset: string,
  binding: object,
  name: 'client' | 'caller' | 'agent',
  hint: string = `.${name}`,
): BindingErrorDetails[] {
  const hasProvider = isGiven(property(binding, name))
  if (hasProvider !== isGiven(property(binding, 'executor'))) return []
  const message = hasProvider
    ? `Toolset '${toolset}' has both ${name === 'agent' ? 'an' : 'a'} ${name} and an executor. Remove one of them.`
    : `Toolset '${toolset}' has neither ${name} nor executor. Set toolsets.${toolset}${hint}.`
  return [{ code: hasProvider ? `${name}_and_executor` : `missing_${name}`, toolset, message }]
}

function missingToolParts(use: ToolsetUse, binding: object, requirements: Requirements): BindingErrorDetails[] {
  const toolset = useName(use)
  const mappersApply = !isGiven(property(binding, 'executor'))
  return selectedTools(use).flatMap(({ spec: { name: tool } }) => {
    const required = Object.hasOwn(requirements, tool) ? (requirements[tool] ?? []) : []
    return required.flatMap((part): BindingErrorDetails[] => {
      if (part === 'check') {
        if (isGiven(property(property(binding, 'checks'), tool))) return []
        const message = `Tool '${toolset}.${tool}' needs a check: a schema that validates its payload. Set toolsets.${toolset}.checks.${tool}.`
        return [{ code: 'missing_check', toolset, tool, message }]
      }
      if (!mappersApply || typeof property(property(property(binding, 'mappers'), tool), part) === 'function') return []
      const message = `Tool '${toolset}.${tool}' needs ${part === 'update' ? 'an' : 'a'} ${part} mapper. Set toolsets.${toolset}.mappers.${tool}.${part}.`
      return [{ code: 'missing_mapper', toolset, tool, message }]
    })
  })
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

export function property(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  // Users choose tool names: a tool named `constructor` must not find `Object.prototype.constructor`.
  return key in value && !(key in Object.prototype && !Object.hasOwn(value, key)) ? Reflect.get(value, key) : undefined
}

export interface Layered<Env> {
  /** Adds layers to all tools or to single tools. The function must return the result of the method `layer` or `tool`. Default: no layers. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
}

/**
 * Binding of a toolset to a service: a client or an executor. `Env` is the type of the option `env` that the added layers require.
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
        /**
         * Exists only in the type. Registrations have a property `wrap`, so that TypeScript rejects a registration in place of a binding. The
         * runtime would ignore the layers of such a registration.
         */
        readonly wrap?: never
      }
  )

/**
 * Value that the application must provide for a tool: a mapper (function that converts values) for its payload, updates or result, or a schema that
 * checks its payload.
 */
export type Requirement = 'payload' | 'update' | 'result' | 'check'

/** Tool name → mappers and schemas that the application must provide. */
export type Requirements = Readonly<Record<string, readonly Requirement[]>>
