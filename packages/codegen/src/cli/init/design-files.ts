import type { EmittedFile } from '../../write/file.js'
import { importPath } from './import-path.js'
import type { ProjectNames } from './project-names.js'

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
