import type { ToolDescriptor } from '../types/call.js'
import type { ToolsetUse } from '../types/registration.js'
import type { ToolSpec } from '../types/tool.js'

/** Kinds of binding errors. */
export type BindingErrorCode =
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
  return [...duplicateNames(uses), ...duplicateToolNames(uses), ...uses.flatMap(strayNames)]
}

function duplicateNames(uses: readonly ToolsetUse[]): BindingErrorDetails[] {
  const seen = new Set<string>()
  return uses.flatMap((use): BindingErrorDetails[] => {
    const toolset = useName(use)
    if (!seen.has(toolset)) {
      seen.add(toolset)
      return []
    }
    const message = `two toolsets are called '${toolset}': give one of them another name with \`as\``
    return [{ code: 'duplicate_toolset', toolset, message }]
  })
}

function duplicateToolNames(uses: readonly ToolsetUse[]): BindingErrorDetails[] {
  const owners = new Map<string, string>()
  const known = new Set<string>()
  return uses.flatMap((use) => {
    const toolset = useName(use)
    // A second use of the same name is one error, not one for each of its tools.
    if (known.has(toolset)) return []
    known.add(toolset)
    return selectedTools(use).flatMap(({ spec }): BindingErrorDetails[] => {
      const toolName = toolNameIn(use, spec)
      const owner = owners.get(toolName)
      const id = `${toolset}.${spec.name}`
      if (owner === undefined) {
        owners.set(toolName, id)
        return []
      }
      const message = `'${owner}' and '${id}' have the tool name '${toolName}': give one of them another with \`rename\``
      return [{ code: 'duplicate_wire_name', toolset, tool: spec.name, message }]
    })
  })
}

function strayNames(use: ToolsetUse): BindingErrorDetails[] {
  const toolset = useName(use)
  const names = new Set(use.toolset.tools.map((tool) => tool.spec.name))
  return Object.keys(use.toolNames ?? {}).flatMap((tool): BindingErrorDetails[] => {
    if (names.has(tool)) return []
    const message = `toolset '${toolset}' has no tool '${tool}' to give a tool name to`
    return [{ code: 'unknown_tool', toolset, tool, message }]
  })
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
