import type { ToolsetRegistration } from '../../contract/registration.js'
import type { BindingFault } from './binding-error.js'
import { selectedTools, useName } from './use-name.js'

/** What keeps a registration from being run: checks that are none, or that belong to no tool. */
export function registrationFaults({ use, checks = {} }: ToolsetRegistration): BindingFault[] {
  const toolset = useName(use)
  const names = new Set(selectedTools(use).map((tool) => tool.spec.name))
  return Object.entries(checks).flatMap(([tool, check]): BindingFault[] => {
    if (!names.has(tool)) {
      const message = `toolsets.${toolset}.checks.${tool} belongs to no tool of the toolset`
      return [{ kind: 'unknown_tool', toolset, tool, message }]
    }
    if (typeof check?.['~standard']?.validate === 'function') return []
    const message = `toolsets.${toolset}.checks.${tool} is no Standard Schema (it lacks '~standard'.validate)`
    return [{ kind: 'invalid_check', toolset, tool, message }]
  })
}
