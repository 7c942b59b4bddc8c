import type { ServiceUseIr } from '../ir/types.js'
import { accessText, propertyNameText } from '../text/literal.js'
import { callText, genericMember } from './call-text.js'
import { toolOf, toolsetOf } from './design-parts.js'
import { runtimeModule } from './import-set.js'
import { type BindingScene, requirement, type UseBinding } from './use-binding.js'

/** How a use is bound that a service client serves. */
export function serviceBinding(use: ServiceUseIr, scene: BindingScene): UseBinding {
  const { agent, imports } = scene
  const folder = `agents/${agent.names.folder}`
  const service = { generated: `${folder}/${use.names.file}` }
  const required = requirements(use, scene)
  return {
    member: genericMember(
      propertyNameText(use.as),
      imports.type(runtimeModule, 'ServiceBinding'),
      [
        imports.type(service, use.names.client),
        imports.type(service, use.names.executorOptions),
        imports.type(service, use.names.registrationOptions),
        use.names.env,
      ],
      4,
    ),
    bind: callText(
      imports.value(runtimeModule, 'bindToolset'),
      [
        imports.value({ generated: `${folder}/specs` }, use.names.use),
        `binding?.toolsets${accessText(use.as, true)}`,
        imports.value(service, use.names.executor),
        imports.value(service, use.names.registration),
        ...(required.length === 0 ? [] : [`{ ${required.join(', ')} }`]),
      ],
      4,
    ),
  }
}

/** What each tool cannot do without, as properties: mappers that its plan asks for, and its check. */
function requirements(use: ServiceUseIr, { agent, design, plans }: BindingScene): readonly string[] {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.flatMap(({ tool }) => {
    const plan = plans[agent.name]?.[use.as]?.[tool]
    const parts = [
      ...(plan?.payload.verdict === 'mapper' ? ['payload'] : []),
      ...(plan?.stream?.update.verdict === 'mapper' ? ['update'] : []),
      ...(plan?.result.verdict === 'mapper' ? ['result'] : []),
      ...(toolOf(toolset, tool).needsCheck ? ['check'] : []),
    ]
    return requirement(tool, parts)
  })
}
