import type { AgentUseIr, ToolsetIr } from '../ir/types.js'
import { accessText, propertyNameText, stringText } from '../text/literal.js'
import { callText, genericMember } from './call-text.js'
import { exportOf, toolOf, toolsetOf } from './design-parts.js'
import { runtimeModule } from './import-set.js'
import { type BindingScene, requirement, type UseBinding } from './use-binding.js'

/**
 * How a use is bound that another agent serves. Of that agent only its specs are imported, and types: so two agents may
 * use each other.
 */
export function agentBinding(use: AgentUseIr, { agent, design, imports }: BindingScene): UseBinding {
  const exported = exportOf(design, use)
  const exporter = `agents/${exported.agent.names.folder}`
  const toolset = toolsetOf(design, use.toolset)
  const options = imports.type({ generated: `${exporter}/${exported.names.file}` }, exported.names.registrationOptions)
  const required = use.tools.flatMap(({ tool }) => requirement(tool, toolOf(toolset, tool).needsCheck ? ['check'] : []))
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(runtimeModule, 'AgentBinding'),
      [optionsOfUse(options, use, toolset), use.names.agentEnv, use.names.env],
      4,
    ),
    bind: callText(
      imports.value(runtimeModule, 'bindAgentToolset'),
      [
        imports.value({ generated: `agents/${agent.names.folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value({ generated: `${exporter}/specs` }, exported.names.export),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}

/** The options of the exporter, without the checks of tools that this agent leaves out. */
function optionsOfUse(options: string, use: AgentUseIr, toolset: ToolsetIr): string {
  const checked = toolset.tools.filter((tool) => tool.needsCheck).map(({ name }) => name)
  const kept = checked.filter((name) => use.tools.some(({ tool }) => tool === name))
  if (kept.length === checked.length) return options
  const others = `Omit<${options}, 'checks'>`
  if (kept.length === 0) return others
  return `${others} & { readonly checks: Pick<${options}['checks'], ${kept.map(stringText).join(' | ')}> }`
}
