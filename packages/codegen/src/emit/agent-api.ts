import { apiDeclarations } from '@toolgen/runtime/projections'
import type { AgentIr, DesignIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { closedSchema } from '../schema/definitions.js'
import { lineComment } from '../text.js'
import { toolOf, toolsetOf } from './design-queries.js'
import type { GeneratedFile } from './generated-file.js'

/** Emits the declarations of an agent's tools: the text that models read in code mode, with `export`. */
export function agentApi(agent: AgentIr, design: DesignIr, file: GeneratedFile): EmittedFile {
  const tools = agent.uses.flatMap((use) => {
    const toolset = toolsetOf(design, use.toolset)
    return use.tools.map(({ tool: name, toolName }) => {
      const { description, arguments: args, result } = toolOf(toolset, name)
      const [sent, returned] = [args, result].map((schema) => closedSchema(schema, toolset.defs))
      return { toolset: use.as, name, toolName, description, arguments: sent ?? true, result: returned ?? true }
    })
  })
  return file.print('agent-api', agent.location, {
    about: lineComment(
      `Declarations of the tools of \`${agent.name}\`, as \`codeMode\` shows them to models with \`comments: 'short'\`.`,
    ),
    declarations: apiDeclarations(tools).text.replaceAll(/^(?=type Json |declare namespace )/gm, 'export '),
  })
}
