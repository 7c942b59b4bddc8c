import { Runtime } from '../agents/runtime.js'
import {
  bindingErrors,
  isGiven,
  type Layered,
  layeredBinding,
  providerErrors,
  type Requirements,
  type ToolsetBinding,
} from '../call/binding.js'
import type { BoundToolset } from '../call/bound-toolset.js'
import { selectedTools } from '../call/registrations.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolExecutor } from '../types/executor.js'
import type { McpCallerSource, McpExecutorOptions, ToolsetImport } from '../types/mcp.js'
import type { RegistrationOptions, ToolsetUse } from '../types/registration.js'
import { callerErrors, mcpExecutor } from './mcp-executor.js'
/**
 * Value of `toolsets.<name>` for the tools of an MCP server: a caller with options, or your own executor. `Env` is the type of the option `env` that
 * the added layers require.
 *
 * @example
 * { caller: stdioCaller({ command: 'npx', args: ['-y', 'server'] }), onDrift: 'fail' }
 */
export type McpBinding<Options extends RegistrationOptions = RegistrationOptions, Env = unknown> = Options &
  Layered<Env> &
  (
    | (McpExecutorOptions & { readonly caller: McpCallerSource; readonly executor?: never })
    | {
        readonly executor: ToolExecutor
        readonly caller?: never
        /**
         * Never set. Without this property, TypeScript would accept a registration as a binding, and the runtime would ignore the layers of the
         * registration.
         */
        readonly wrap?: never
      }
  )

/**
 * Creates the registration of an MCP toolset. A registration connects a toolset with its executor and layers. Returns errors instead of throwing
 * errors, so that `registerAgent` can report the errors of all toolsets together.
 *
 * @param binding value of `toolsets.<name>` in the application
 * @param requirements options that tools require, by tool name
 */
export function bindMcpToolset(
  use: ToolsetUse,
  binding: McpBinding<any, any>, // `any`: options and env are in the types of generated code
  imported: ToolsetImport,
  requirements: Requirements = {},
): ToolsetBinding {
  const errors = bindingErrors(use, binding, requirements, {
    name: 'caller',
    errors: (toolset, options) => [
      ...providerErrors(toolset, options, 'caller'),
      ...(isGiven(binding.executor) || !isGiven(binding.caller) ? [] : callerErrors(toolset, binding.caller)),
    ],
  })
  if (errors.length > 0) return { use, errors }
  // Hints suggest only tools that the agent uses.
  const used = { ...imported, toolset: { ...imported.toolset, tools: selectedTools(use) } }
  const executor = binding.executor ?? mcpExecutor(used, binding.caller, binding)
  return layeredBinding(use, toolsetRegistration(use, executor, binding), binding.layers)
}

/**
 * Registers the tools of an MCP server in a new runtime, so that you can call the tools without an agent. Called by generated clients.
 *
 * @throws {BindingError} if the options are invalid.
 *
 * @example
 * const tools = mcpTools(filesMcp, mcpExecutor(filesMcp, caller))
 * const outcome = await tools.execute(newReadFileCall({ path: 'notes.txt' }))
 */
export function mcpTools(
  { toolset }: ToolsetImport,
  executor: ToolExecutor,
  options: RegistrationOptions = {},
): BoundToolset {
  return new Runtime().registerToolset(toolsetRegistration({ toolset, provider: 'mcp' }, executor, options))
}
