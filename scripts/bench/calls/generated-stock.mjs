import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { configText } from '../codec/compiled-modules.mjs'
import { runNode, toolgen } from '../workspace.mjs'

/** Environment variable with the folder of the compiled modules, for the measuring processes. */
const folderVariable = 'TOOLGEN_BENCH_CALLS'
const bench = fileURLToPath(new URL('..', import.meta.url))

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

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM'],
  types: [],
  module: 'NodeNext',
  strict: true,
  skipLibCheck: true,
}

/** Generates a toolset and its agent in `folder`, and compiles them with TypeScript 5.9. */
export function compileStock(folder) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['design'] }))
  runNode([toolgen, 'generate'], { cwd: folder })
  const build = { compilerOptions: { ...compilerOptions, rootDir: '.', outDir: 'compiled' }, include: ['gen'] }
  writeFileSync(join(folder, 'tsconfig.build.json'), JSON.stringify(build))
  runNode([join(bench, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], { cwd: folder })
  process.env[folderVariable] = join(folder, 'compiled')
}

/** Imports the compiled modules. */
export async function compiledStock() {
  const load = (path) => import(pathToFileURL(join(process.env[folderVariable], 'gen', path)))
  return { ...(await load('toolsets/stock/index.js')), ...(await load('agents/counter/index.js')) }
}
