import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { configText } from '../codec/compiled-modules.mjs'
import { compileProject } from '../compiled-project.mjs'

/** Environment variable with the folder of the compiled modules, for the measuring processes. */
const folderVariable = 'TOOLGEN_BENCH_CALLS'

const files = {
  'package.json': '{ "name": "stock", "private": true, "type": "module" }',
  'toolgen.config.ts': configText({ design: 'design/agents.ts' }),
  'design/clients.ts': `import { type ServiceClient, serviceClient } from '@toolgen/dsl'

export interface StockLevel {
  sku: string
  inStock: number
  checkedAt: string
}

export interface StockClient {
  stockLevel(sku: string): Promise<StockLevel>
  countStock(sku: string): Promise<StockLevel>
}

export const stockClient: ServiceClient<StockClient> = serviceClient<StockClient>()
`,
  'design/stock.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const payload = z.object({ sku: z.string().min(1).describe('Article number, e.g. LAMP-1') })
const result = z.object({ sku: z.string(), inStock: z.int().min(0), checkedAt: z.string() })
const description = 'Count the pieces of an article in the warehouse.'

export const stock = defineToolset('stock', {
  description: 'Count articles.',
  tools: {
    stockLevel: defineTool({
      description,
      payload,
      result,
      callHint: 'Counting {{sku}}',
      resultHint: '{{inStock}} in stock',
      readOnly: true,
    }),
    countStock: defineTool({ description, payload, result, readOnly: true }),
  },
})
`,
  'design/agents.ts': `import { defineAgent, fromService } from '@toolgen/dsl'
import { stockClient } from './clients.js'
import { stock } from './stock.js'

export const counter = defineAgent('counter', {
  description: 'Counts the requested articles.',
  uses: [fromService(stock, stockClient)],
})
`,
}

/** Generates a toolset and its agent in `folder`, and compiles them with TypeScript 5.9. */
export function compileStock(folder) {
  process.env[folderVariable] = compileProject(folder, files)
}

/** Imports the compiled modules. */
export async function compiledStock() {
  const load = (path) => import(pathToFileURL(join(process.env[folderVariable], 'gen', path)))
  return { ...(await load('toolsets/stock/index.js')), ...(await load('agents/counter/index.js')) }
}
