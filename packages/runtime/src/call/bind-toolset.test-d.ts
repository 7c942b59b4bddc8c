import type { Mapper, ToolMappers } from '../executors/service-executor.js'
import type { ToolExecutor } from '../types/executor.js'
import type { StandardCheck } from '../types/json.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import { bindToolset, type ServiceBinding, type ToolsetBinding } from './binding.js'

// The forms that generated code has.
interface Client {
  fetch(id: string): Promise<string>
}
interface ExecutorOptions {
  readonly mappers?: { readonly get?: ToolMappers<object, [string], string, object> }
}
interface MustMap {
  readonly mappers: { readonly get: { readonly payload: Mapper<object, [string]> } }
}
interface MustCheck extends RegistrationOptions {
  readonly checks: { readonly get: StandardCheck }
}
declare const use: ToolsetUse
declare const client: Client
declare const executor: ToolExecutor
declare const check: StandardCheck
declare function newExecutor(client: Client, options?: ExecutorOptions): ToolExecutor
declare function newMappedExecutor(client: Client, options: MustMap): ToolExecutor
declare function newRegistration(executor: ToolExecutor, options?: RegistrationOptions): ToolsetRegistration
declare function newCheckedRegistration(executor: ToolExecutor, options: MustCheck): ToolsetRegistration

type Plain = ServiceBinding<Client, ExecutorOptions, RegistrationOptions>
type Demanding = ServiceBinding<Client, MustMap, MustCheck>

export function bindings(plain: Plain, demanding: Demanding): readonly ToolsetBinding[] {
  return [
    bindToolset(use, plain, newExecutor, newRegistration),
    bindToolset(use, demanding, newMappedExecutor, newCheckedRegistration, { get: ['payload', 'check'] }),
  ]
}

export const forms: readonly Plain[] = [
  { client },
  { executor },
  { client, resultAdapter: (json) => json },
  // @ts-expect-error one of client and executor is needed
  {},
  // @ts-expect-error not both
  { client, executor },
  // @ts-expect-error a registration is no binding: its layers would be lost
  newRegistration(executor),
]

export const demandingForms: readonly Demanding[] = [
  { client, mappers: { get: { payload: () => [''] } }, checks: { get: check } },
  { executor, checks: { get: check } },
  // @ts-expect-error the mapper is missing
  { client, checks: { get: check } },
  // @ts-expect-error the check is missing
  { client, mappers: { get: { payload: () => [''] } } },
]
