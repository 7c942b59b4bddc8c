import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate } from '@toolgen/codegen'
import { Runtime } from '@toolgen/runtime'
import { openApiExecutor } from '@toolgen/runtime/openapi'
import { afterAll, describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import type { ImportSource } from '../../packages/codegen/src/imports/sources.js'
import { toolsetRegistration } from '../../packages/runtime/src/layers/registration.js'
import { dataFolder } from '../data.js'
import { sourceOf } from './documents.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required },
})
const listed = (...values: readonly string[]) => ({ type: 'string', enum: values })
const discriminator = { propertyName: 'type' }

/** The operation of OpenAI's document that creates a response, with the forms of union that its items have. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Responses', version: '1' },
  servers: [{ url: 'https://api.example.com/v1' }],
  paths: {
    '/responses': {
      post: {
        operationId: 'createResponse',
        summary: 'Create a response.',
        requestBody: { required: true, content: { 'application/json': { schema: ref('CreateResponse') } } },
        responses: { 200: { description: 'It.', content: { 'application/json': { schema: ref('Response') } } } },
      },
    },
  },
  components: {
    schemas: {
      CreateResponse: {
        allOf: [
          object({ model: { type: 'string' } }),
          object({ input: { oneOf: [{ type: 'string' }, { type: 'array', items: ref('InputItem') }] } }, []),
        ],
      },
      InputItem: {
        discriminator,
        oneOf: [
          ref('EasyInputMessage'),
          { type: 'object', title: 'Item', description: 'Content item.', ...ref('Item') },
          ref('ItemReferenceParam'),
        ],
      },
      EasyInputMessage: object({ type: listed('message'), role: { type: 'string' }, content: { type: 'string' } }, [
        'role',
        'content',
      ]),
      Item: {
        type: 'object',
        discriminator,
        oneOf: [ref('OutputMessage'), ref('FunctionToolCall'), ref('FunctionCallOutputItemParam')],
      },
      OutputMessage: object({ type: listed('output_message'), id: { type: 'string' } }),
      FunctionToolCall: object({
        type: listed('function_call'),
        call_id: { type: 'string' },
        name: { type: 'string' },
      }),
      FunctionCallOutputItemParam: object(
        {
          id: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          call_id: { type: 'string', minLength: 1 },
          type: listed('function_call_output'),
          output: { oneOf: [{ type: 'string' }, { type: 'array', items: {} }] },
        },
        ['call_id', 'type', 'output'],
      ),
      ItemReferenceParam: object(
        {
          type: { anyOf: [{ ...listed('item_reference'), default: 'item_reference' }, { type: 'null' }] },
          id: { type: 'string' },
        },
        ['id'],
      ),
      Response: object({ id: { type: 'string' } }),
    },
  },
}

/** Imports a document, generates its code, and checks the code and a module that uses it with the compiler. */
async function generated(source: ImportSource, use: string): Promise<{ readonly folder: string; readonly api: any }> {
  // Inside the workspace, so that its packages resolve as they do for a user who installed them.
  const folder = mkdtempSync(join(root, 'test/.out-openapi-discriminators-'))
  folders.push(folder)
  const imported = await importOpenApi('openai', source, {
    select: { tags: [], paths: [], operations: ['createResponse'] },
  })
  expect(imported.diagnostics.filter(({ severity, code }) => severity === 'error' || code === 'TG6215')).toEqual([])
  const files = {
    ...Object.fromEntries(imported.files.map(({ path, text }) => [`design/${path}`, text])),
    'package.json': '{ "type": "module" }',
    'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts' })`,
    'design/agents.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { openai } from './openai.openapi.js'
export const asker = defineAgent('asker', { description: 'Asks.', uses: [fromOpenApi(openai)] })`,
    'use.ts': use,
    'tsconfig.json': JSON.stringify({
      extends: '../generated-code/strictest.json',
      compilerOptions: { skipLibCheck: true, isolatedDeclarations: false, declaration: false },
      include: ['gen', 'design', 'use.ts'],
    }),
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { ok, diagnostics } = await generate({ cwd: folder, cache: false })
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(ok).toBe(true)
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
  const checked = spawnSync(process.execPath, [compiler, '-p', '.'], { cwd: folder, encoding: 'utf8' })
  expect([checked.status, checked.stdout]).toEqual([0, ''])
  return { folder, api: (await import(join(folder, 'gen/toolsets/openai/openapi.ts'))).openaiApi }
}

/** Calls the operation of the generated code; returns the outcome and the body that a loopback server received. */
async function sent(api: any, args: object, answer: object): Promise<{ readonly outcome: any; readonly body: any }> {
  let body: any
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    body = JSON.parse(Buffer.concat(parts).toString('utf8'))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const { port } = server.address() as AddressInfo
    const executor = openApiExecutor(api, { baseUrl: `http://127.0.0.1:${port}`, auth: {} })
    const tools = new Runtime().registerToolset(
      toolsetRegistration({ toolset: api.toolset, provider: 'service' }, executor),
    )
    const [{ call }] = api.toolset.tools
    const outcome = await tools.execute(call(args))
    return { outcome, body }
  } finally {
    await new Promise((done) => server.close(done))
  }
}

const functionOutput = { type: 'function_call_output', call_id: 'call_1', output: '{"ok":true}' } as const

const use = `import { newCreateResponseCall } from './gen/toolsets/openai/index.js'

export const call = newCreateResponseCall({
  body: {
    model: 'm',
    input: [
      { role: 'user', content: 'Hello.' },
      ${JSON.stringify(functionOutput)},
      { type: 'item_reference', id: 'i_1' },
      { type: null, id: 'i_2' },
      { id: 'i_3' },
    ],
  },
})
`

describe('defect 12: items of a request in nested unions with a discriminator', () => {
  const source = { text: JSON.stringify(document), file: 'openai.json', shown: '`openai.json`' }

  it('defect 12: generated code accepts each variant and sends it', async () => {
    const { api } = await generated(source, use)
    const input = [
      { type: 'message', role: 'user', content: 'Hello.' },
      { role: 'user', content: 'Hello.' },
      { type: 'function_call', call_id: 'call_1', name: 'f' },
      functionOutput,
      { type: 'item_reference', id: 'i_1' },
      { type: null, id: 'i_2' },
      { id: 'i_3' },
    ]
    const { outcome, body } = await sent(api, { body: { model: 'm', input } }, { id: 'r_1' })
    expect(outcome).toMatchObject({ status: 'completed', result: { data: { id: 'r_1' } } })
    expect(body).toMatchObject({ model: 'm', input })
    const unknown = { type: 'FunctionCallOutputItemParam', call_id: 'call_1', output: 'x' }
    await expect(sent(api, { body: { model: 'm', input: [unknown] } }, { id: 'r_1' })).rejects.toThrow(
      /\/body\/input\/0: The value matches none of these variants: EasyInputMessage, Item, ItemReferenceParam/,
    )
  })
})

const names = ['openai.yaml.gz', 'openai.yaml', 'openai.json.gz', 'openai.json']
const file = names.find((name) => existsSync(join(dataFolder() ?? '', 'openapi', name)))

describe.skipIf(file === undefined)("OpenAI's document (needs openapi/openai.yaml in the data folder)", () => {
  it('defect 12: createResponse accepts function_call_output and sends it', async () => {
    const call = `import { newCreateResponseCall } from './gen/toolsets/openai/index.js'
export const call = newCreateResponseCall({
  body: { model: 'gpt-4o', input: [${JSON.stringify(functionOutput)}] },
})
`
    const { api } = await generated(sourceOf(file ?? ''), call)
    const { body } = await sent(api, { body: { model: 'gpt-4o', input: [functionOutput] } }, {})
    expect(body).toMatchObject({ input: [functionOutput] })
  })
})
