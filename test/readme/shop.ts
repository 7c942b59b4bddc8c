import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { importFunctions } from '../../packages/codegen/src/import/functions/import-functions.js'
import { importOpenApi } from '../../packages/codegen/src/import/openapi/import-openapi.js'
import { filesOf } from './examples-of.js'
import { modelServer } from './model-server.js'
import { scriptedModels } from './scripted-models.js'

/** A file of the example with an imported toolset. */
const ofFiles = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../examples/files/design/${name}`, import.meta.url)), 'utf8')

/** The files of a toolset of imported functions. */
const weather = importFunctions('weather', {
  text: JSON.stringify({
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  }),
  file: 'tools.json',
  shown: '`tools.json`',
}).files.map(({ path, text }) => [`design/${path}`, text] as const)

/** The files of a toolset of an OpenAPI document. */
const pets = await importOpenApi('pets', {
  text: `openapi: 3.1.0
info: { title: Pets, version: '1' }
servers: [{ url: 'https://pets.example.com' }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: Look at a pet
      security: [{ api_key: [] }]
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
components:
  securitySchemes: { api_key: { type: apiKey, in: header, name: X-Key } }
  schemas: { Pet: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string } } } }`,
  file: 'openapi.yaml',
  shown: '`openapi.yaml`',
})

/** The files that `docs/shop.md` shows: each block begins with a comment that names it. */
const shown = filesOf(readFileSync(fileURLToPath(new URL('../../docs/shop.md', import.meta.url)), 'utf8'))

/** What the examples of the documents share: the shop of its page, and what readers have of their own. */
export const shop: Readonly<Record<string, string>> = {
  ...shown,
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/**/*.ts', output: 'gen' })`,
  ...Object.fromEntries(weather),
  ...Object.fromEntries(pets.files.map(({ path, text }) => [`design/${path}`, text])),
  'design/keeper.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { pets } from './pets.openapi.js'
export const keeper = defineAgent('keeper', { description: 'Keeps pets.', uses: [fromOpenApi(pets)] })`,
  'design/files.mcp.json': ofFiles('files.mcp.json'),
  'design/files.mcp.ts': ofFiles('files.mcp.ts'),
  'design/helper.ts': `import { defineAgent, fromService, serviceClient } from '@toolgen/dsl'
import type { WeatherClient } from '../src/weather-client.js'
import { weather } from './weather.functions.js'
export const weatherClient = serviceClient<WeatherClient>()
export const helper = defineAgent('helper', { description: 'Knows the weather.', uses: [fromService(weather, weatherClient)] })`,
  // Documents show these modules from where a design imports them.
  'src/files.mcp.ts': "export { files } from '../design/files.mcp.js'",
  'src/pets.openapi.ts': "export { pets } from '../design/pets.openapi.js'",
  'src/weather.functions.ts': "export { weather } from '../design/weather.functions.js'",
  'src/weather-client.ts': `export class WeatherClient {
  async getWeather({ city }: { city: string }): Promise<{ city: string; degrees: number }> {
    return { city, degrees: 21 }
  }
}`,
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
export const forecast = (city: string): { readonly city: string; readonly degrees: number } => ({ city, degrees: 21 })
export const textFromAModel: JsonText = '{"orderId":"A-1001"}'`,
}

/** What of this the examples take without an import of their own. */
export const sharedNames: readonly string[] = [
  'advice',
  'agentsModel',
  'caller',
  'chatModel',
  'client',
  'clerk',
  'driver',
  'forecast',
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
