import { assignNames } from '../../ir/names/names.js'
import { reservedNames } from '../../ir/names/reserved-names.js'

/** The names from which the files of a new project are made. */
export interface ProjectNames {
  /** As the user gave it, e.g. `orders`. */
  readonly toolset: string
  readonly agent: string
  /** Folders below the project, with `/`. */
  readonly designFolder: string
  readonly outputFolder: string
  /** `orders`: the stem of files and the folder in the output. */
  readonly toolsetFile: string
  readonly agentFile: string
  /** `OrdersClient` */
  readonly clientClass: string
  /** `ordersClient` */
  readonly client: string
  /** `registerSupport` */
  readonly register: string
}

const identifier = /^[a-z][A-Za-z0-9]{0,39}$/

/** Whether a name can be that of an example toolset or agent: it becomes a constant of the example's modules. */
export function isExampleName(name: string): boolean {
  return identifier.test(name) && !reservedNames.has(name) && !taken.includes(name)
}

/** What the example's modules declare, import or are called beside these names. */
const taken: readonly string[] = [
  'answer callTools cheapest clients console defineAgent defineConfig defineTool defineToolset findItems found fromService getItem item',
  'missing newFindItemsCall newGetItemCall outcomes planner renderForModel run serviceClient z',
].flatMap((line) => line.split(' '))

/** Derives every name of a new project, with the generator's own rules for what it will generate. */
export function projectNames(
  chosen: Pick<ProjectNames, 'toolset' | 'agent' | 'designFolder' | 'outputFolder'>,
): ProjectNames {
  const { toolsets, agents } = assignNames({
    toolsets: [{ name: chosen.toolset, tools: [], defs: [] }],
    agents: [{ name: chosen.agent, uses: [], exports: [] }],
  })
  const [toolset] = toolsets
  const [agent] = agents
  if (toolset === undefined || agent === undefined) throw new Error('Naming lost a toolset or an agent.')
  const stem = `${chosen.toolset.charAt(0).toUpperCase()}${chosen.toolset.slice(1)}`
  return {
    ...chosen,
    toolsetFile: toolset.names.folder,
    agentFile: agent.names.folder,
    clientClass: `${stem}Client`,
    client: `${chosen.toolset}Client`,
    register: agent.names.register,
  }
}
