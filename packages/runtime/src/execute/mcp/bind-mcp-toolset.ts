import type { ToolExecutor } from '../../contract/executor.js'
import type { McpCallerSource, McpExecutorOptions, ToolsetImport } from '../../contract/mcp.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'
import { toolsetRegistration } from '../../layer/registration.js'
import { layeredBinding, type ToolsetBinding } from '../binding/bind-toolset.js'
import type { BindingFault } from '../binding/binding-error.js'
import { isGiven, missingOfTools, property } from '../binding/missing-parts.js'
import type { Requirements } from '../binding/service-binding.js'
import { selectedTools, useName } from '../binding/use-name.js'
import { callerFault } from './caller-fault.js'
import { mcpExecutor } from './mcp-executor.js'

/**
 * How an application serves a toolset of an MCP server: by a caller, or by an executor of its own. `Env` names what the
 * layers that it adds need.
 *
 * @example
 * { caller: stdioCaller({ command: 'npx', args: ['-y', 'server'] }), onDrift: 'fail' }
 */
export type McpBinding<Options extends RegistrationOptions = RegistrationOptions, Env = unknown> = Options & {
  /** Puts layers around the tools, all or single ones; gives back what `layer` and `tool` give. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
} & (
    | (McpExecutorOptions & { readonly caller: McpCallerSource; readonly executor?: never })
    | {
        readonly executor: ToolExecutor
        readonly caller?: never
        /** A registration is no binding: its layers would be lost. */
        readonly wrap?: never
      }
  )

/**
 * Makes the registration of a toolset of an MCP server from what the application gave. Never throws for what is missing:
 * `registerAgent` reports the faults of all toolsets together.
 *
 * @param binding what the application gave under `toolsets.<name>`
 * @param requirements what the tools cannot do without, by tool name
 */
export function bindMcpToolset(
  use: ToolsetUse,
  binding: McpBinding<any, any>, // `any`: options and env are in the types of generated code
  imported: ToolsetImport,
  requirements: Requirements = {},
): ToolsetBinding {
  const faults = mcpFaults(use, binding, requirements)
  if (faults.length > 0) return { use, faults }
  const executor = binding.executor ?? mcpExecutor(selected(use, imported), binding.caller, binding)
  return layeredBinding(use, toolsetRegistration(use, executor, binding), binding.layers)
}

/** What the use has of the toolset: near names in hints are of its tools. */
function selected(use: ToolsetUse, imported: ToolsetImport): ToolsetImport {
  return { ...imported, toolset: { ...imported.toolset, tools: selectedTools(use) } }
}

function mcpFaults(use: ToolsetUse, binding: unknown, requirements: Requirements): readonly BindingFault[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset} = { caller } or { executor }`
    return [{ kind: 'missing_toolset', toolset, message }]
  }
  return [...partFault(toolset, binding), ...missingOfTools(use, { ...binding, executor: true }, requirements)]
}

function partFault(toolset: string, binding: object): readonly BindingFault[] {
  if (property(binding, 'wrap') !== undefined) {
    const message = `toolsets.${toolset} is a registration: give { caller, layers: (tools) => tools.layer(...) }`
    return [{ kind: 'invalid_registration', toolset, message }]
  }
  const hasCaller = isGiven(property(binding, 'caller'))
  const hasExecutor = isGiven(property(binding, 'executor'))
  if (hasCaller === hasExecutor) {
    const message = hasCaller
      ? `toolset '${toolset}' has a caller and an executor: give one of them`
      : `toolset '${toolset}' has neither caller nor executor: give toolsets.${toolset}.caller`
    return [{ kind: hasCaller ? 'caller_and_executor' : 'missing_caller', toolset, message }]
  }
  const fault = hasCaller ? callerFault(toolset, property(binding, 'caller')) : undefined
  return fault === undefined ? [] : [fault]
}
