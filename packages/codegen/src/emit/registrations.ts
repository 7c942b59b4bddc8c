import type { AgentIr, DesignIr, ExportIr } from '../ir/types.js'
import type { McpUseIr, PlainUseIr, ServiceUseIr } from '../ir/uses.js'
import type { EmittedFile } from '../output/files.js'
import { docComment, propertyNameText } from '../text.js'
import { checkMembers, needsApproval, toolsetModule, toolsetOf, usedTools } from './design-queries.js'
import type { GeneratedFile } from './generated-file.js'
import { functionHead } from './layout.js'

export type RegisteredUse = ServiceUseIr | McpUseIr | PlainUseIr

export function registrationView(use: RegisteredUse, agent: AgentIr, design: DesignIr, file: GeneratedFile): object {
  const { names } = use
  const checks = checkMembers(usedTools(design, use), file)
  const extended = file.type('RegistrationOptions')
  const options = checks.length > 0 ? names.registrationOptions : `${extended} = {}`
  const registration = file.type('ToolsetRegistration')
  return {
    options: names.registrationOptions,
    optionsComment: docComment(`Options of \`${names.registration}\`.`),
    extended,
    checks,
    comment: docComment(`Registers \`${use.toolset}\` for \`${agent.name}\` with an executor.`),
    head: functionHead(
      names.registration,
      [`executor: ${file.type('ToolExecutor')}`, `options: ${options}`],
      needsApproval(use, design) ? `${registration}<${file.type('HasApproval')}>` : registration,
    ),
    make: file.value('toolsetRegistration'),
    use: file.value(names.use, { generated: `agents/${agent.names.folder}/specs` }),
  }
}

export function registrationOptionsType(
  use: RegisteredUse,
  module: { readonly generated: string },
  design: DesignIr,
  file: GeneratedFile,
): string {
  const isChecked = usedTools(design, use).some(({ needsCheck }) => needsCheck)
  return isChecked ? file.type(use.names.registrationOptions, module) : file.type('RegistrationOptions')
}

export function agentPlainUse(use: PlainUseIr, agent: AgentIr, design: DesignIr, file: GeneratedFile): EmittedFile {
  return file.print('agent-registration', use.location, { registration: registrationView(use, agent, design, file) })
}

export function agentExport(offer: ExportIr, agent: AgentIr, design: DesignIr, file: GeneratedFile): EmittedFile {
  const toolset = toolsetOf(design, offer.toolset)
  const { names } = offer
  const types = file.types('types', toolsetModule(toolset, 'types'))
  const checks = checkMembers(toolset.tools, file)
  const bound = `${file.type('BoundAgent')}<Env>`
  const asks = toolset.tools.some(({ confirmation }) => confirmation !== undefined)
  return file.print('agent-export', offer.location, {
    options: {
      comment: docComment(`Options of \`${names.registration}\`.`),
      name: names.registrationOptions,
      extended: file.type('AgentToolsetOptions'),
      results: toolset.tools.map((tool) => `readonly ${propertyNameText(tool.name)}: ${types}.${tool.names.result}`),
      checks,
    },
    registration: {
      comment: docComment(
        `Registers \`${toolset.name}\`, served by \`${agent.name}\`: each call is a run of the agent.`,
      ),
      head: functionHead(
        `${names.registration}<Env>`,
        [
          `agent: ${bound} | (() => ${bound})`,
          `options: ${names.registrationOptions}${checks.length === 0 ? ' = {}' : ''}`,
        ],
        `${file.type('ToolsetRegistration')}<${asks ? `Env & ${file.type('HasApproval')}` : 'Env'}>`,
      ),
      make: file.value('agentToolsetRegistration'),
      exported: file.value(names.export, { generated: `agents/${agent.names.folder}/specs` }),
    },
  })
}
