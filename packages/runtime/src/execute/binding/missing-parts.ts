import type { ToolsetUse } from '../../contract/registration.js'
import type { BindingFault } from './binding-error.js'
import type { Requirements } from './service-binding.js'
import { selectedTools, useName } from './use-name.js'

/** Everything that a binding lacks, whatever its type promised: an application may be plain JavaScript. */
export function missingParts(use: ToolsetUse, binding: unknown, requirements: Requirements): BindingFault[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset} = { client } or { executor }`
    return [{ kind: 'missing_toolset', toolset, message }]
  }
  return [
    ...givenRegistration(toolset, binding),
    ...missingClient(toolset, binding),
    ...missingOfTools(use, binding, requirements),
  ]
}

/** A registration has an executor too; taken for a binding, its layers would be lost. */
function givenRegistration(toolset: string, binding: object): BindingFault[] {
  if (property(binding, 'wrap') === undefined) return []
  const message = `toolsets.${toolset} is a registration: give { client, layers: (tools) => tools.layer(...) }`
  return [{ kind: 'invalid_registration', toolset, message }]
}

function missingClient(toolset: string, binding: object): BindingFault[] {
  const hasClient = isGiven(property(binding, 'client'))
  const hasExecutor = isGiven(property(binding, 'executor'))
  if (hasClient && hasExecutor) {
    const message = `toolset '${toolset}' has a client and an executor: give one of them`
    return [{ kind: 'client_and_executor', toolset, message }]
  }
  if (hasClient || hasExecutor) return []
  const message = `toolset '${toolset}' has neither client nor executor: give toolsets.${toolset}.client`
  return [{ kind: 'missing_client', toolset, message }]
}

/** Mappers and checks that tools of a use cannot do without, and that the binding lacks. */
export function missingOfTools(use: ToolsetUse, binding: object, requirements: Requirements): BindingFault[] {
  const toolset = useName(use)
  const mappersApply = !isGiven(property(binding, 'executor'))
  return selectedTools(use).flatMap(({ spec: { name: tool } }) => {
    const required = Object.hasOwn(requirements, tool) ? (requirements[tool] ?? []) : []
    return required.flatMap((part): BindingFault[] => {
      if (part === 'check') {
        if (isGiven(property(property(binding, 'checks'), tool))) return []
        const message = `tool '${toolset}.${tool}' needs its schema as a check: give toolsets.${toolset}.checks.${tool}`
        return [{ kind: 'missing_check', toolset, tool, message }]
      }
      if (!mappersApply || typeof property(property(property(binding, 'mappers'), tool), part) === 'function') return []
      const message = `tool '${toolset}.${tool}' needs ${part === 'update' ? 'an' : 'a'} ${part} mapper: give toolsets.${toolset}.mappers.${tool}.${part}`
      return [{ kind: 'missing_mapper', toolset, tool, message }]
    })
  })
}

/** Whether there is something: an own `null` counts as absent. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** An own or inherited property of what an application gave, but for those of every object. */
export function property(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  // Names of tools come from users: `constructor` must not find Object.prototype.constructor.
  return key in value && !(key in Object.prototype && !Object.hasOwn(value, key)) ? Reflect.get(value, key) : undefined
}
