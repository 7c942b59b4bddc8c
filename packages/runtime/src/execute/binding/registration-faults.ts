import type { ToolsetRegistration } from '../../contract/registration.js'
import { peek } from '../failure/peek.js'
import type { BindingFault } from './binding-error.js'
import { selectedTools, useName } from './use-name.js'

/**
 * What keeps a registration from being run, whatever its type promised: an executor or an adapter that is none, checks
 * that are none or that belong to no tool, default layers of no tool. An own `null` counts as absent, except for the executor.
 */
export function registrationFaults(registration: ToolsetRegistration<never>): BindingFault[] {
  return [
    ...kindFaults(registration),
    ...executorFaults(registration),
    ...adapterFaults(registration),
    ...checkFaults(registration),
    ...defaultLayerFaults(registration),
  ]
}

/** Layers stand in registrations that the runtime's own functions make. */
function kindFaults(registration: ToolsetRegistration<never>): BindingFault[] {
  if (typeof peek(registration, 'wrap') === 'function') return []
  const toolset = useName(registration.use)
  const message = `the registration of toolset '${toolset}' is a plain object: make it with toolsetRegistration(use, executor)`
  return [{ kind: 'invalid_registration', toolset, message }]
}

function executorFaults({ use, executor }: ToolsetRegistration<never>): BindingFault[] {
  if (typeof peek(executor, 'execute') === 'function') return []
  const toolset = useName(use)
  const message = `the executor of toolset '${toolset}' is none (it lacks an execute function)`
  return [{ kind: 'invalid_executor', toolset, message }]
}

function adapterFaults(registration: ToolsetRegistration<never>): BindingFault[] {
  const toolset = useName(registration.use)
  return (['payloadAdapter', 'resultAdapter'] as const).flatMap((name): BindingFault[] => {
    const adapter: unknown = registration[name]
    if (adapter === undefined || adapter === null || typeof adapter === 'function') return []
    return [{ kind: 'invalid_adapter', toolset, message: `toolsets.${toolset}.${name} is no function` }]
  })
}

function checkFaults(registration: ToolsetRegistration<never>): BindingFault[] {
  const { use } = registration
  const toolset = useName(use)
  const checks: unknown = registration.checks ?? {}
  if (typeof checks !== 'object' || checks === null) {
    return [
      { kind: 'invalid_check', toolset, message: `toolsets.${toolset}.checks is no object of checks by tool name` },
    ]
  }
  const names = new Set(selectedTools(use).map((tool) => tool.spec.name))
  return Object.entries(checks).flatMap(([tool, check]): BindingFault[] => {
    if (!names.has(tool)) {
      const message = `toolsets.${toolset}.checks.${tool} belongs to no tool of the toolset`
      return [{ kind: 'unknown_tool', toolset, tool, message }]
    }
    if (typeof peek(peek(check, '~standard'), 'validate') === 'function') return []
    const message = `toolsets.${toolset}.checks.${tool} is no Standard Schema (it lacks '~standard'.validate)`
    return [{ kind: 'invalid_check', toolset, tool, message }]
  })
}

function defaultLayerFaults({ use, defaultLayers }: ToolsetRegistration<never>): BindingFault[] {
  const toolset = useName(use)
  const names = new Set(selectedTools(use).map((tool) => tool.spec.name))
  return Object.keys(defaultLayers || {}).flatMap((tool): BindingFault[] => {
    if (names.has(tool)) return []
    const message = `toolsets.${toolset}.defaultLayers.${tool} belongs to no tool of the toolset`
    return [{ kind: 'unknown_tool', toolset, tool, message }]
  })
}
