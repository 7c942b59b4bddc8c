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
  'design/customers.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const email = z.string()
const sensitiveEmail = email.meta({ 'x-sensitive': ['model', 'events', 'telemetry', 'recording'] })

const customersWith = (feature, schema = email) => ({
  description: 'Write to customers.',
  tools: {
    writeTo: defineTool({
      description: 'Write to a customer.',
      payload: z.object({ email: schema, text: z.string() }),
      result: z.object({ id: z.string() }),
      ...feature,
    }),
  },
})

export const plain = defineToolset('plain', customersWith({}))
export const sensitive = defineToolset('sensitive', customersWith({}, sensitiveEmail))
export const failing = defineToolset(
  'failing',
  customersWith({
    failures: { address_unknown: { schema: z.object({ similar: z.string() }), hint: 'Similar address: {{similar}}.' } },
  }),
)
export const confirmed = defineToolset(
  'confirmed',
  customersWith({ confirmation: { prompt: 'Write to {{email}}?', when: z.object({ text: z.string().min(9) }) } }),
)
export const labelled = defineToolset(
  'labelled',
  customersWith({ reads: ['private', 'untrusted'], writes: 'external' }),
)
`,
  'design/agents.ts': `import { defineAgent, fromExecutor, fromService } from '@toolgen/dsl'
import { stockClient } from './clients.js'
import { confirmed, failing, labelled, plain, sensitive } from './customers.js'
import { stock } from './stock.js'

export const counter = defineAgent('counter', {
  description: 'Counts the requested articles.',
  uses: [fromService(stock, stockClient)],
})

const clerkWith = (toolset) => defineAgent(toolset.name + 'Clerk', {
  description: 'Counts articles and writes to customers.',
  uses: [fromService(stock, stockClient), fromExecutor(toolset)],
})

export const plainClerk = clerkWith(plain)
export const sensitiveClerk = clerkWith(sensitive)
export const failingClerk = clerkWith(failing)
export const confirmedClerk = clerkWith(confirmed)
export const labelledClerk = clerkWith(labelled)
`,
}

/** Generates a toolset and its agent in `folder`, and compiles them with TypeScript 5.9. */
export function compileStock(folder) {
  process.env[folderVariable] = compileProject(folder, files)
}

/** Imports the compiled modules of the stock and of the agent that uses only the stock. */
export async function compiledStock() {
  return { ...(await load('toolsets/stock/index.js')), ...(await load('agents/counter/index.js')) }
}

/** Imports the function that registers the agent with this toolset for customers, and the tools of the toolset. */
export async function compiledClerk(customers) {
  const agent = await load(`agents/${customers}-clerk/index.js`)
  const toolset = await load(`toolsets/${customers}/index.js`)
  const register = agent[`register${customers[0].toUpperCase()}${customers.slice(1)}Clerk`]
  return { register, tools: toolset[customers] }
}

const load = (path) => import(pathToFileURL(join(process.env[folderVariable], 'gen', path)))
