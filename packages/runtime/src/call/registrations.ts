import type { ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { ToolDescriptor, ToolSpec } from '../types/tool.js'
import { BindingError, type BindingErrorDetails } from './binding-error.js'
import { peek } from './tool-failure.js'

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
      tools.push({ code: 'duplicate_tool_name', toolset, tool: spec.name, message })
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
