import type { ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { ToolDescriptor, ToolSpec } from '../types/tool.js'
import { BindingError, type BindingErrorDetails } from './binding-error.js'
import { peek } from './tool-failure.js'

export function useErrors(uses: readonly ToolsetUse[]): BindingErrorDetails[] {
  const toolsets: BindingErrorDetails[] = []
  const tools: BindingErrorDetails[] = []
  const seen = new Set<string>()
  const owners = new Map<string, string>()
  for (const use of uses) {
    const toolset = useName(use)
    if (seen.has(toolset)) {
      const message = `Two toolsets have the name '${toolset}'. Rename one of them with \`as\`.`
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
      const message = `'${owner}' and '${id}' have the same tool name '${toolName}'. Rename one of them with \`rename\`.`
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
        message: `Toolset '${toolset}' has no tool '${tool}' to rename.`,
      }
    })
  })
  return [...toolsets, ...tools, ...unknown]
}

export function useName(use: ToolsetUse): string {
  return use.as ?? use.toolset.name
}

export function selectedTools(use: ToolsetUse): readonly ToolDescriptor[] {
  const { toolNames } = use
  if (toolNames === undefined) return use.toolset.tools
  return use.toolset.tools.filter((tool) => Object.hasOwn(toolNames, tool.spec.name))
}

export function toolNameIn(use: ToolsetUse, spec: ToolSpec): string {
  const { toolNames } = use
  const renamed = toolNames !== undefined && Object.hasOwn(toolNames, spec.name) ? toolNames[spec.name] : undefined
  return renamed ?? spec.toolName
}

/**
 * Checks also what the types exclude, because plain JavaScript can pass any value.
 *
 * @param errors errors that the caller has already found
 * @throws {BindingError} with all errors.
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

function registrationErrors(registration: ToolsetRegistration<never>): BindingErrorDetails[] {
  const { use, executor, defaultLayers } = registration
  const toolset = useName(use)
  const errors: BindingErrorDetails[] = []
  // Only functions of the runtime create registrations with `wrap`.
  if (typeof peek(registration, 'wrap') !== 'function') {
    const message = `The registration of toolset '${toolset}' is a plain object. Create it with toolsetRegistration(use, executor).`
    errors.push({ code: 'invalid_registration', toolset, message })
  }
  if (typeof peek(executor, 'execute') !== 'function') {
    const message = `The executor of toolset '${toolset}' must be an object with an \`execute\` function.`
    errors.push({ code: 'invalid_executor', toolset, message })
  }
  for (const name of ['payloadAdapter', 'resultAdapter'] as const) {
    if (typeof (registration[name] ?? Boolean) === 'function') continue
    errors.push({ code: 'invalid_adapter', toolset, message: `toolsets.${toolset}.${name} must be a function.` })
  }
  const names = new Set(selectedTools(use).map(({ spec }) => spec.name))
  const addUnknown = (option: string, tool: string): void => {
    const message = `toolsets.${toolset}.${option}.${tool} does not match a tool of the toolset. Remove it.`
    errors.push({ code: 'unknown_tool', toolset, tool, message })
  }
  const checks: unknown = registration.checks ?? {}
  if (typeof checks !== 'object' || checks === null) {
    const message = `toolsets.${toolset}.checks must be an object with checks by tool name.`
    errors.push({ code: 'invalid_check', toolset, message })
  } else {
    for (const [tool, check] of Object.entries(checks)) {
      if (!names.has(tool)) addUnknown('checks', tool)
      else if (typeof peek(peek(check, '~standard'), 'validate') !== 'function') {
        const message = `toolsets.${toolset}.checks.${tool} must be a Standard Schema, with a function '~standard'.validate.`
        errors.push({ code: 'invalid_check', toolset, tool, message })
      }
    }
  }
  for (const tool of Object.keys(defaultLayers || {})) if (!names.has(tool)) addUnknown('defaultLayers', tool)
  return errors
}
