import type { AgentIr, DesignIr, McpUseIr, OpenApiUseIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { checkMember } from './check-member.js'
import { needsApproval, toolOf, toolsetOf } from './design-parts.js'
import { functionHead } from './function-head.js'
import { type ImportSet, runtimeModule } from './import-set.js'

/** The function that joins a use with what serves it, as templates show it. */
export interface RegistrationView {
  readonly options: string
  readonly extended: string
  readonly checks: readonly string[]
  readonly comment: string
  readonly head: string
  readonly make: string
  readonly use: string
}

/** The registration of a use that no client of the application serves. */
export function useRegistration(
  { agent, use, design }: { readonly agent: AgentIr; readonly use: McpUseIr | OpenApiUseIr; readonly design: DesignIr },
  imports: ImportSet,
): RegistrationView {
  const { names } = use
  const toolset = toolsetOf(design, use.toolset)
  const mustCheck = use.tools.map(({ tool }) => toolOf(toolset, tool)).filter(({ needsCheck }) => needsCheck)
  const registration = imports.type(runtimeModule, 'ToolsetRegistration')
  const none = mustCheck.length > 0 ? '' : ' = {}'
  return {
    options: names.registrationOptions,
    extended: imports.type(runtimeModule, 'RegistrationOptions'),
    checks: mustCheck.map((tool) => checkMember(tool, imports)),
    comment: docComment(`Joins the use of \`${toolset.name}\` by \`${agent.name}\` with what serves it.`, 0),
    head: functionHead(
      names.registration,
      [`executor: ${imports.type(runtimeModule, 'ToolExecutor')}`, `options: ${names.registrationOptions}${none}`],
      needsApproval(use, design) ? `${registration}<${imports.type(runtimeModule, 'HasApproval')}>` : registration,
    ),
    make: imports.value(runtimeModule, 'toolsetRegistration'),
    use: imports.value({ generated: `agents/${agent.names.folder}/specs` }, names.use),
  }
}
