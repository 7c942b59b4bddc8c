import type { OpenApiUseIr } from '../ir/types.js'
import { accessText, propertyNameText } from '../text/literal.js'
import { callText, genericMember } from './call-text.js'
import { toolOf, toolsetOf } from './design-parts.js'
import { openApiModule, openApiRuntime } from './openapi-module.js'
import { type BindingScene, requirement, type UseBinding } from './use-binding.js'

/** How a use is bound that an HTTP API serves. */
export function openApiBinding(use: OpenApiUseIr, { agent, design, imports }: BindingScene): UseBinding {
  const folder = `agents/${agent.names.folder}`
  const toolset = toolsetOf(design, use.toolset)
  const module = openApiModule(toolset)
  const { api, options } = toolset.names.openapi
  const required = use.tools.flatMap(({ tool }) => requirement(tool, toolOf(toolset, tool).needsCheck ? ['check'] : []))
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(openApiRuntime, 'OpenApiBinding'),
      [
        imports.type({ generated: `${folder}/${use.names.openApiFile}` }, use.names.registrationOptions),
        imports.type(module, options),
        use.names.env,
      ],
      4,
    ),
    bind: callText(
      imports.value(openApiRuntime, 'bindOpenApiToolset'),
      [
        imports.value({ generated: `${folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value(module, api),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}
