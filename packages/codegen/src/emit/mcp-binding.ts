import type { McpUseIr } from '../ir/types.js'
import { accessText, propertyNameText } from '../text/literal.js'
import { callText, genericMember } from './call-text.js'
import { toolOf, toolsetOf } from './design-parts.js'
import { runtimeModule } from './import-set.js'
import { mcpImport } from './mcp-import.js'
import { type BindingScene, requirement, type UseBinding } from './use-binding.js'

/** How a use is bound that an MCP server serves. */
export function mcpBinding(use: McpUseIr, { agent, design, imports }: BindingScene): UseBinding {
  const folder = `agents/${agent.names.folder}`
  const toolset = toolsetOf(design, use.toolset)
  const imported = mcpImport(use, { agent, toolset })
  const required = use.tools.flatMap(({ tool }) => requirement(tool, toolOf(toolset, tool).needsCheck ? ['check'] : []))
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(runtimeModule, 'McpBinding'),
      [imports.type({ generated: `${folder}/${use.names.mcpFile}` }, use.names.registrationOptions), use.names.env],
      4,
    ),
    bind: callText(
      imports.value(runtimeModule, 'bindMcpToolset'),
      [
        imports.value({ generated: `${folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value(imported.module, imported.name),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}
