import { posix } from 'node:path'
import { assignNames } from '../../ir/names.js'
import { reservedNames } from '../../ir/reserved-names.js'
import type { EmittedFile } from '../../output/files.js'

/** The example design: a toolset, its client, an agent that uses both; and the configuration that names them. */
export function designFiles(names: ProjectNames): readonly EmittedFile[] {
  const { designFolder, toolsetFile, agentFile } = names
  return [
    { path: 'toolgen.config.ts', text: configText(names) },
    { path: `${designFolder}/${toolsetFile}.ts`, text: toolsetText(names) },
    { path: `${designFolder}/clients.ts`, text: clientsText(names) },
    { path: `${designFolder}/${agentFile}.agent.ts`, text: agentText(names) },
  ]
}

function configText({ designFolder, outputFolder }: ProjectNames): string {
  return `import { defineConfig } from '@toolgen/codegen'

export default defineConfig({
  design: '${designFolder}/**/*.ts',
  output: '${outputFolder}',
})
`
}

function toolsetText({ toolset }: ProjectNames): string {
  return `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const item = z.object({
  id: z.string(),
  name: z.string(),
  price: z.number().describe('In euros'),
})

export const ${toolset} = defineToolset('${toolset}', {
  description: 'Look up what is for sale.',
  tools: {
    findItems: defineTool({
      description: 'Find the items that cost at most a given price, cheapest first.',
      payload: z.object({
        maxPrice: z.number().min(0).describe('In euros'),
        limit: z.int().min(1).max(50).default(10).describe('How many items to return at most'),
      }),
      result: z.object({ items: z.array(item) }),
      examples: [{ maxPrice: 20 }],
      callHint: 'Looking for items up to {{maxPrice}} euros',
      readOnly: true,
    }),
    getItem: defineTool({
      description: 'Fetch one item by its number.',
      payload: z.object({
        itemId: z.string().regex(/^I-[0-9]+$/).describe('Number of the item, such as I-1'),
      }),
      result: item,
      examples: [{ itemId: 'I-1' }],
      resultHint: '{{name}} costs {{price}} euros',
      readOnly: true,
    }),
  },
})
`
}

function clientsText({ client, clientClass, toolsetFile, designFolder }: ProjectNames): string {
  return `import { serviceClient } from '@toolgen/dsl'
import type { ${clientClass} } from '${importPath(designFolder, `src/${toolsetFile}-client.js`)}'

export const ${client} = serviceClient<${clientClass}>()
`
}

function agentText({ agent, toolset, toolsetFile, client }: ProjectNames): string {
  return `import { defineAgent, fromService } from '@toolgen/dsl'
import { ${client} } from './clients.js'
import { ${toolset} } from './${toolsetFile}.js'

export const ${agent} = defineAgent('${agent}', {
  description: 'Answers questions about what is for sale.',
  uses: [fromService(${toolset}, ${client})],
})
`
}

/** The example application: a service client and a program that calls it through the generated code. */
export function programFiles(names: ProjectNames): readonly EmittedFile[] {
  return [
    { path: `src/${names.toolsetFile}-client.ts`, text: clientText(names) },
    { path: 'src/main.ts', text: mainText(names) },
  ]
}

function clientText({ clientClass }: ProjectNames): string {
  return `import { ToolFailure } from '@toolgen/runtime'

interface Item {
  id: string
  name: string
  price: number
}

/** The service that the tools call. Put your own in its place: the generator checks that the tools fit it. */
export class ${clientClass} {
  readonly #items: readonly Item[] = [
    { id: 'I-1', name: 'Lamp', price: 19.5 },
    { id: 'I-2', name: 'Chair', price: 49 },
    { id: 'I-3', name: 'Cup', price: 6.2 },
  ]

  async findItems({ maxPrice, limit }: { maxPrice: number; limit: number }): Promise<{ items: Item[] }> {
    const affordable = this.#items.filter((item) => item.price <= maxPrice)
    return { items: affordable.sort((a, b) => a.price - b.price).slice(0, limit) }
  }

  async getItem({ itemId }: { itemId: string }): Promise<Item> {
    const found = this.#items.find((item) => item.id === itemId)
    if (found === undefined) throw new ToolFailure(\`There is no item \${itemId}.\`)
    return found
  }
}
`
}

function mainText({
  agent,
  toolset,
  register,
  outputFolder,
  agentFile,
  toolsetFile,
  clientClass,
}: ProjectNames): string {
  const generated = (module: string): string => importPath('src', `${outputFolder}/${module}/index.js`)
  return `import { Runtime, renderForModel } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { ${register} } from '${generated(`agents/${agentFile}`)}'
import { newFindItemsCall, newGetItemCall } from '${generated(`toolsets/${toolsetFile}`)}'
import { ${clientClass} } from './${toolsetFile}-client.js'

/** Decides the next step of a run: calls, or an answer. A model can do that; this one is code, and needs no key. */
const planner: Planner = ({ outcomes }) => {
  const [cheapest] = outcomes
  if (cheapest === undefined) return callTools(newFindItemsCall({ maxPrice: 20, limit: 1 }))
  return answer(\`This is the cheapest: \${renderForModel(cheapest)}\`)
}

const ${agent} = ${register}(new Runtime(), {
  planner,
  toolsets: { ${toolset}: { client: new ${clientClass}() } },
})

const run = await ${agent}.run('What can I get for 20 euros?')
console.log(run.result?.text)

// A call can be executed without a run, too. What it answers has the type of the tool's result.
const found = await ${agent}.execute(newFindItemsCall({ maxPrice: 20 }))
if (found.status === 'completed') {
  for (const item of found.result.data.items) console.log(\`\${item.id} \${item.name}: \${item.price} euros\`)
}

// What fails is data too: the planner or the model reads what was wrong and what to do next.
const missing = await ${agent}.execute(newGetItemCall({ itemId: 'I-99' }))
console.log(renderForModel(missing))
`
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

/** How a module of a folder of the project imports another of its modules, both as paths from its root. */
function importPath(folder: string, module: string): string {
  const path = posix.relative(folder, module)
  return path.startsWith('.') ? path : `./${path}`
}
