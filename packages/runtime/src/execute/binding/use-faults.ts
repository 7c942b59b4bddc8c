import type { ToolsetUse } from '../../contract/registration.js'
import type { BindingFault } from './binding-error.js'
import { selectedTools, useName, wireNameIn } from './use-name.js'

/** What keeps these uses from living together in one agent: equal names, equal wire names, names of no tool. */
export function useFaults(uses: readonly ToolsetUse[]): BindingFault[] {
  return [...duplicateNames(uses), ...duplicateWireNames(uses), ...uses.flatMap(strayNames)]
}

function duplicateNames(uses: readonly ToolsetUse[]): BindingFault[] {
  const seen = new Set<string>()
  return uses.flatMap((use): BindingFault[] => {
    const toolset = useName(use)
    if (!seen.has(toolset)) {
      seen.add(toolset)
      return []
    }
    const message = `two toolsets are called '${toolset}': give one of them another name with \`as\``
    return [{ kind: 'duplicate_toolset', toolset, message }]
  })
}

function duplicateWireNames(uses: readonly ToolsetUse[]): BindingFault[] {
  const owners = new Map<string, string>()
  const known = new Set<string>()
  return uses.flatMap((use) => {
    const toolset = useName(use)
    // A second use of the same name is one fault, not one for each of its tools.
    if (known.has(toolset)) return []
    known.add(toolset)
    return selectedTools(use).flatMap(({ spec }): BindingFault[] => {
      const wireName = wireNameIn(use, spec)
      const owner = owners.get(wireName)
      const id = `${toolset}.${spec.name}`
      if (owner === undefined) {
        owners.set(wireName, id)
        return []
      }
      const message = `'${owner}' and '${id}' have the wire name '${wireName}': give one of them another with \`rename\``
      return [{ kind: 'duplicate_wire_name', toolset, tool: spec.name, message }]
    })
  })
}

function strayNames(use: ToolsetUse): BindingFault[] {
  const toolset = useName(use)
  const names = new Set(use.toolset.tools.map((tool) => tool.spec.name))
  return Object.keys(use.wireNames ?? {}).flatMap((tool): BindingFault[] => {
    if (names.has(tool)) return []
    const message = `toolset '${toolset}' has no tool '${tool}' to give a wire name to`
    return [{ kind: 'unknown_tool', toolset, tool, message }]
  })
}
