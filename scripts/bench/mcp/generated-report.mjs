import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { configText } from '../codec/compiled-modules.mjs'
import { compileProject } from '../compiled-project.mjs'

/** Environment variable with the folder of the compiled modules, for the measuring processes. */
const folderVariable = 'TOOLGEN_BENCH_MCP'

const files = {
  'package.json': '{ "name": "report", "private": true, "type": "module" }',
  'toolgen.config.ts': configText({ design: 'design/*.ts' }),
  'design/articles.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const item = z.object({
  id: z.string(),
  title: z.string(),
  price: z.number(),
  inStock: z.boolean(),
  tags: z.array(z.string()),
})

export const articles = defineToolset('articles', {
  description: 'Reports about articles.',
  tools: {
    report: defineTool({
      description: 'List articles.',
      toolName: 'report',
      payload: z.object({ rows: z.int().min(1).max(1000) }),
      result: z.object({ total: z.int(), items: z.array(item) }),
      readOnly: true,
    }),
  },
})
`,
  'design/clerk.ts': `import { defineAgent, fromExecutor } from '@toolgen/dsl'
import { articles } from './articles.js'

export const clerk = defineAgent('clerk', { description: 'Reports.', uses: [fromExecutor(articles)] })
`,
}

/** Generates a toolset and its agent in `folder`, and compiles them. */
export function compileReport(folder) {
  process.env[folderVariable] = compileProject(folder, files)
}

/** Imports the compiled module of the agent. */
export const compiledClerk = () => import(pathToFileURL(join(process.env[folderVariable], 'gen/agents/clerk/index.js')))
