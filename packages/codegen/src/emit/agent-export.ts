import type { AgentIr, DesignIr, ExportIr, ToolsetIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { propertyNameText } from '../text/literal.js'
import { checkMember } from './check-member.js'
import { toolsetOf } from './design-parts.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet, runtimeModule } from './import-set.js'

/** What `agent-export.hbs` shows. */
export interface AgentExportView {
  readonly header: string
  readonly imports: string
  readonly options: {
    readonly comment: string
    readonly name: string
    readonly extended: string
    /** The results of the tools, as properties of a type. */
    readonly results: readonly string[]
    readonly checks: readonly string[]
  }
  readonly registration: {
    readonly comment: string
    readonly head: string
    readonly make: string
    readonly exported: string
  }
}

/** How a toolset is registered that an agent serves. */
export function agentExportView(
  { agent, offer, design }: { readonly agent: AgentIr; readonly offer: ExportIr; readonly design: DesignIr },
  file: ImportingFile,
): AgentExportView {
  const toolset = toolsetOf(design, offer.toolset)
  const imports = importSet(file)
  const { names } = offer
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const mustCheck = toolset.tools.filter((tool) => tool.needsCheck)
  const bound = `${imports.type(runtimeModule, 'BoundAgent')}<Env>`
  return {
    options: {
      comment: docComment(
        `What the registration takes beside the agent: how \`${agent.name}\` serves single tools.`,
        0,
      ),
      name: names.registrationOptions,
      extended: imports.type(runtimeModule, 'AgentToolsetOptions'),
      results: toolset.tools.map((tool) => `readonly ${propertyNameText(tool.name)}: ${types}.${tool.names.result}`),
      checks: mustCheck.map((tool) => checkMember(tool, imports)),
    },
    registration: {
      comment: docComment(`Joins \`${toolset.name}\` with \`${agent.name}\`, which serves it: each call is a run.`, 0),
      head: functionHead(
        `${names.registration}<Env>`,
        [
          `agent: ${bound} | (() => ${bound})`,
          `options: ${names.registrationOptions}${mustCheck.length === 0 ? ' = {}' : ''}`,
        ],
        `${imports.type(runtimeModule, 'ToolsetRegistration')}<${envOf(toolset, imports)}>`,
      ),
      make: imports.value(runtimeModule, 'agentToolsetRegistration'),
      exported: imports.value({ generated: `agents/${agent.names.folder}/specs` }, names.export),
    },
    header: header(offer.place),
    imports: imports.text(),
  }
}

/** A tool that must be confirmed needs somebody to ask, beside what the agent needs. */
function envOf({ tools }: ToolsetIr, imports: ImportSet): string {
  const asks = tools.some(({ confirmation }) => confirmation !== undefined)
  return asks ? `Env & ${imports.type(runtimeModule, 'HasApproval')}` : 'Env'
}
