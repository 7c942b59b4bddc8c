import type { AgentIr, DesignIr, ServiceUseIr, ToolIr, ToolsetIr } from '../ir/types.js'
import type { ServicePlans, ToolPlan } from '../service/plan/plan.js'
import type { NamedPlan } from '../service/text/answer-transform.js'
import { type FileFunctions, fileFunctions } from '../service/text/file-functions.js'
import { type ServiceToolText, serviceToolText } from '../service/text/tool-text.js'
import { readDefinitions } from './definitions.js'
import { toolOf } from './design-parts.js'
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
  /** The aliases that this file declares: of the method's arguments and of what it answers. */
  readonly aliases: readonly string[]
}

/** The tools of a use with their code, and the functions that the code needs on module level. */
export interface BoundTools {
  readonly tools: readonly BoundTool[]
  readonly functions: readonly string[]
}

/** Writes the code of the tools of a use. */
export function boundTools(toolset: ToolsetIr, parts: AgentServiceParts, imports: ImportSet): BoundTools {
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const named = parts.use.tools.map(({ tool: name }) => {
    const tool = toolOf(toolset, name)
    const stem = tool.names.arguments.replace(/Arguments_?$/, '')
    const plan = planOf(tool, parts)
    const names = {
      client: parts.use.names.client,
      payload: `${types}.${tool.names.payload}`,
      result: `${types}.${tool.names.result}`,
      update: `${types}.${tool.names.update}`,
      stem,
      args: `${stem}Args`,
      answer: plan.stream === undefined ? `${stem}Answer` : `${stem}AnswerItem`,
    }
    return { tool, plan, names }
  })
  const definitions = readDefinitions(toolset)
  const functions = fileFunctions(named, (definition, form) => `${types}.${definitions.nameOf(definition, form)}`)
  const tools = named.map((one) => boundTool(one, functions, imports))
  return { tools, functions: functions.texts() }
}

function boundTool(
  { tool, ...named }: NamedPlan & { readonly tool: ToolIr },
  functions: FileFunctions,
  imports: ImportSet,
): BoundTool {
  const text = serviceToolText(named, functions)
  // The texts name what they use as the runtime exports it; no name of this file is one of those.
  for (const helper of text.helpers) imports.value(runtimeModule, helper)
  for (const helper of text.typeHelpers) imports.type(runtimeModule, helper)
  const { args, answer } = named.names
  const aliases = [`type ${args} = ${text.argsType}`, `type ${answer} = ${text.answerType}`]
  return { tool, text, aliases }
}

function planOf(tool: ToolIr, { agent, use, plans }: AgentServiceParts): ToolPlan {
  const plan = plans[agent.name]?.[use.as]?.[tool.name]
  if (plan === undefined) throw new Error(`There is no plan for '${tool.id}' in agent '${agent.name}'.`)
  return plan
}
