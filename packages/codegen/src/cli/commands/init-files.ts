import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { assignNames, reservedNames } from '../../ir/names.js'
import type { EmittedFile } from '../../output/files.js'

/**
 * Returns the example: a toolset, its client, an agent that uses both, their configuration, a service and a program that
 * calls it through the generated code. Their texts are in `templates/init`, with names as `__name__`.
 */
export function exampleFiles(names: ProjectNames): readonly EmittedFile[] {
  const { designFolder, outputFolder, toolsetFile, agentFile } = names
  const words: Readonly<Record<string, string>> = {
    ...names,
    clientModule: importPath(designFolder, `src/${toolsetFile}-client.js`),
    agentModule: importPath('src', `${outputFolder}/agents/${agentFile}/index.js`),
    toolsetModule: importPath('src', `${outputFolder}/toolsets/${toolsetFile}/index.js`),
  }
  const file = (path: string, template: string): EmittedFile => {
    const text = readFileSync(new URL(`../../../templates/init/${template}.txt`, import.meta.url), 'utf8')
    return {
      path,
      text: text.replaceAll('\r\n', '\n').replace(/__(\w+?)__/g, (_, name: string) => words[name] ?? name),
    }
  }
  return [
    file('toolgen.config.ts', 'config'),
    file(`${designFolder}/${toolsetFile}.ts`, 'toolset'),
    file(`${designFolder}/clients.ts`, 'clients'),
    file(`${designFolder}/${agentFile}.agent.ts`, 'agent'),
    file(`src/${toolsetFile}-client.ts`, 'client'),
    file('src/main.ts', 'main'),
  ]
}

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

/** Checks whether a name can be that of an example toolset or agent: it becomes a constant of the example's modules. */
export function isExampleName(name: string): boolean {
  return identifier.test(name) && !reservedNames.has(name) && !taken.includes(name)
}

/** Other names that the example's modules declare or import. */
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

/** Returns the path by which a module in a folder of the project imports another one, both relative to its root. */
function importPath(folder: string, module: string): string {
  const path = posix.relative(folder, module)
  return path.startsWith('.') ? path : `./${path}`
}
