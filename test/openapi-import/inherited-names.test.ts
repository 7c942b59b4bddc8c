import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

/** What every object has, so that checkers know a type for it where none is meant. */
const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => !name.startsWith('__'))

const json = { 'application/json': { schema: { type: 'string' } } }
const schema = { type: 'string', format: 'binary' }
const form = {
  'multipart/form-data': {
    schema: { type: 'object', properties: { toString: schema, valueOf: { type: 'array', items: schema } } },
  },
}
const document = {
  openapi: '3.1.0',
  info: { title: 'Names', version: '1' },
  servers: [{ url: 'https://names.example' }],
  components: {
    securitySchemes: { valueOf: { type: 'http', scheme: 'basic' }, toString: { type: 'http', scheme: 'bearer' } },
  },
  security: [{ toString: [], valueOf: [] }],
  paths: {
    ...Object.fromEntries(
      names.map((name) => [
        `/${name}`,
        {
          get: {
            operationId: name,
            parameters: names.map((field) => ({ name: field, in: 'query', schema: { type: 'string' } })),
            responses: { 200: { description: 'It.', content: json } },
          },
        },
      ]),
    ),
    '/form': {
      post: {
        operationId: 'send',
        requestBody: { content: form },
        parameters: [{ name: 'toString', in: 'query', schema: { type: 'string' } }],
        responses: { 204: { description: 'Taken.' } },
      },
    },
  },
}

let project: Project
beforeAll(() => {
  project = createProject({
    ...smallProject,
    'api.json': JSON.stringify(document),
    'design/caller.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { names } from './names.openapi.js'
export const caller = defineAgent('caller', { description: 'Calls.', uses: [fromOpenApi(names)] })
`,
  })
})
afterAll(() => project.remove())

describe('operations with names of what every object has', () => {
  it('are imported and generated as code that the strictest checker takes', () => {
    expect(project.toolgen('import', 'openapi', 'names', '--from', 'api.json').code).toBe(0)
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
    // Of a design nobody imports declarations.
    const ofDesign = ['--declaration', 'false', '--isolatedDeclarations', 'false']
    project.write({ 'tsconfig.design.json': JSON.stringify({ extends: './tsconfig.json', include: ['design'] }) })
    expect(project.tsc('-p', 'tsconfig.design.json', ...ofDesign)).toMatchObject({ code: 0, stdout: '' })
  })

  it('are called', () => {
    project.write({
      'src/call.ts': `import { Runtime, type ToolCall } from '@toolgen/runtime'
import { registerCaller } from '../gen/agents/caller/index.js'
import { namesToolset } from '../gen/toolsets/names/index.js'

const caller = registerCaller(new Runtime(), {
  toolsets: {
    names: {
      fetch: async (url) =>
        String(url).includes('/form') ? new Response(null, { status: 204 }) : Response.json(String(url)),
      auth: { toString: 'secret', valueOf: { username: 'me', password: 'secret' } },
    },
  },
})
for (const { spec, call } of namesToolset.tools) {
  const make = call as (input: object) => ToolCall<unknown, 'toolCallId'>
  const outcome = await caller.execute(make({ toString: 'a' }))
  if (outcome.status === 'completed') console.log(spec.name, outcome.result.data)
}
`,
    })
    const made = project.tsc(
      '-p',
      '.',
      '--noEmit',
      'false',
      '--outDir',
      'out',
      '--declaration',
      'false',
      '--types',
      'node',
      '--isolatedDeclarations',
      'false',
    )
    expect(made).toMatchObject({ code: 0, stdout: '' })
    expect(project.node(['out/src/call.js']).stdout.trim().split('\n').sort()).toEqual(
      [...names.map((name) => `${name} https://names.example/${name}?toString=a`), 'send null'].sort(),
    )
  })
})
