import type { AgentIr, DesignIr, ServiceUseIr, ToolIr, ToolsetIr } from '../ir/types.js'
import type { ServicePlans, ToolPlan } from '../service/plan.js'
import { type ServiceToolText, serviceToolText } from '../service/tool-text.js'
import { type ImportSet, runtimeModule } from './import-set.js'

/** What the service file of a use is made from. */
export interface AgentServiceParts {
  readonly agent: AgentIr
  readonly use: ServiceUseIr
  readonly design: DesignIr
  readonly plans: ServicePlans
  /** The specifier by which this file imports the module of the client. */
  readonly clientModule: string
}

/** A tool of the use with its code. */
export interface BoundTool {
  readonly tool: ToolIr
  readonly text: ServiceToolText
  /** The name of the payload's type in this file. */
  readonly payload: string
  /** The names of the aliases that this file declares. */
  readonly args: string
  readonly answer: string
  readonly aliases: readonly string[]
}

/** Writes the code of one tool of a use. */
export function boundTool(tool: ToolIr, toolset: ToolsetIr, parts: AgentServiceParts, imports: ImportSet): BoundTool {
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const stem = tool.names.arguments.replace(/Arguments_?$/, '')
  const payload = `${types}.${tool.names.payload}`
  const text = serviceToolText(planOf(tool, parts), {
    client: parts.use.names.client,
    payload,
    result: `${types}.${tool.names.result}`,
    prefix: tool.names.spec.replace(/Spec_?$/, ''),
  })
  // The texts name what they use as the runtime exports it; no name of this file is one of those.
  for (const helper of text.helpers) imports.value(runtimeModule, helper)
  for (const helper of text.typeHelpers) imports.type(runtimeModule, helper)
  const [args, answer] = [`${stem}Args`, `${stem}Answer`]
  const aliases = [`type ${args} = ${text.argsType}`, `type ${answer} = ${text.answerType}`]
  return { tool, text, payload, args, answer, aliases }
}

function planOf(tool: ToolIr, { agent, use, plans }: AgentServiceParts): ToolPlan {
  const plan = plans[agent.name]?.[use.as]?.[tool.name]
  if (plan === undefined) throw new Error(`There is no plan for '${tool.id}' in agent '${agent.name}'.`)
  return plan
}
