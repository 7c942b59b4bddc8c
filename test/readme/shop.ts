import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importFunctions } from '../../packages/codegen/src/imports/functions.js'
import { importModule } from '../../packages/codegen/src/imports/module.js'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { evaluateModule } from '../../packages/codegen/src/load/evaluate-module.js'
import { filesOf } from './examples-of.js'
import { modelServer } from './model-server.js'
import { scriptedModels } from './scripted-models.js'

/** Returns a file of the example with an imported toolset. */
const ofFiles = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../examples/files/design/${name}`, import.meta.url)), 'utf8')

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), 'utf8')
const [imports, openapi] = [page('imports.md'), page('openapi.md')]

/** Returns the first code block in a language. */
function blockOf(text: string, language: string): string {
  const [, block] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(text) ?? []
  if (block === undefined) throw new Error(`a page shows nothing in ${language}`)
  return block
}

/** Files of the toolset that is imported from the function definitions on their page. */
const weather = importFunctions('weather', {
  text: blockOf(imports, 'json'),
  file: 'tools.json',
  shown: '`tools.json`',
}).files.map(({ path, text }) => [`design/${path}`, text] as const)

/** Files of the toolset that is imported from the OpenAPI document on its page. */
const pets = await importOpenApi('pets', {
  text: blockOf(openapi, 'yaml'),
  file: 'openapi.yaml',
  shown: '`openapi.yaml`',
})

/** Module with existing tools from the page about imports, and the files of its toolset. */
const tools = filesOf(imports)['src/tools.ts'] ?? ''
const folder = mkdtempSync(join(fileURLToPath(new URL('..', import.meta.url)), '.out-tools-'))
writeFileSync(join(folder, 'tools.ts'), tools)
const evaluated = await evaluateModule(join(folder, 'tools.ts'), folder, { code: 'TG6025', what: 'module to import' })
rmSync(folder, { recursive: true })
const billing = await importModule('billing', {
  exports: evaluated.exports,
  file: 'src/tools.ts',
  folder: 'design',
  hasAgent: true,
})

/** Files on `docs/shop.md`: each code block begins with a comment with the file name. */
const shown = filesOf(page('shop.md'))

/** Returns the agents and clients of a page. */
function designOf(text: string): Readonly<Record<string, string>> {
  const files = Object.entries(filesOf(text)).filter(([path]) => /\.agent\.ts$|-client\.ts$/.test(path))
  if (files.length === 0) throw new Error('a page shows no agent')
  return Object.fromEntries(files)
}

/** Files of the project that all examples share: the shop, and files that readers have themselves. */
export const shop: Readonly<Record<string, string>> = {
  ...shown,
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/**/*.ts', output: 'gen', searchIndex: true })`,
  ...Object.fromEntries(weather),
  ...designOf(imports),
  ...designOf(openapi),
  ...Object.fromEntries(pets.files.map(({ path, text }) => [`design/${path}`, text])),
  'src/tools.ts': tools,
  ...Object.fromEntries(billing.files.map(({ path, text }) => [`design/${path}`, text])),
  'design/files.mcp.json': ofFiles('files.mcp.json'),
  'design/files.mcp.snapshot.ts': ofFiles('files.mcp.snapshot.ts'),
  'design/files.mcp.ts': ofFiles('files.mcp.ts'),
  // Documents show these modules with the imports of a design module.
  'src/files.mcp.ts': "export { files } from '../design/files.mcp.js'",
  'src/pets.openapi.ts': "export { pets } from '../design/pets.openapi.js'",
  'src/weather.functions.ts': "export { weather } from '../design/weather.functions.js'",
  'src/weather.functions.snapshot.ts': "export { weatherSnapshot } from '../design/weather.functions.snapshot.js'",
  'notes.txt': 'Call Ada.',
  'src/models.ts': scriptedModels,
  'src/model-server.ts': modelServer,
  'src/names.ts': `import { Runtime, type JsonText } from '@toolgen/runtime'
import { stdioCaller } from '@toolgen/runtime/mcp'
import { openAiDriver } from '@toolgen/runtime/openai'
import OpenAI from 'openai'
import { registerLibrarian } from '../gen/agents/librarian/index.js'
export { registerLibrarian }
export { agentsModel, chatModel, languageModel } from './models.js'
export * from './shop.js'
export const driver = openAiDriver({ client: new OpenAI(), model: 'scripted' })
export const caller = stdioCaller({ command: 'node', args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '.'] })
export const librarian = registerLibrarian(new Runtime(), { toolsets: { files: { caller } } })
export const textFromAModel: JsonText = '{"orderId":"A-1001"}'`,
}

/** Names of the shop that examples use without an import. */
export const sharedNames: readonly string[] = [
  'advice',
  'agentsModel',
  'caller',
  'chatModel',
  'client',
  'clerk',
  'driver',
  'languageModel',
  'librarian',
  'newAdviseCall',
  'newCancelOrderCall',
  'newGetOrderCall',
  'newSupportAgent',
  'newSupportOrdersServiceExecutor',
  'newSupportOrdersToolsetRegistration',
  'orders',
  'OrdersClient',
  'planner',
  'registerDesk',
  'registerLibrarian',
  'registerSupport',
  'registration',
  'support',
  'supportOrdersUse',
  'textFromAModel',
]
