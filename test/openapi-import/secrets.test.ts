import { expect, it } from 'vitest'
import { createProject, smallProject } from '../cli/project.fixture.js'

const document = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Accounts', version: '1' },
  servers: [{ url: 'https://accounts.example' }],
  paths: {
    '/accounts': {
      post: {
        operationId: 'createAccount',
        summary: 'Creates an account.',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Account' } } } },
        responses: {
          200: {
            description: '.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Account' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Account: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          pin: { type: 'string', writeOnly: true },
          password: { type: 'string', format: 'password' },
          linked: { type: 'array', items: { $ref: '#/components/schemas/Account' } },
        },
      },
    },
  },
})

it('the secrets of an imported document are sensitive, and options of the toolset replace the suggestion', () => {
  const project = createProject({
    'package.json': smallProject['package.json'] ?? '',
    'tsconfig.json': smallProject['tsconfig.json'] ?? '',
    'toolgen.config.ts': smallProject['toolgen.config.ts'] ?? '',
    'accounts.json': document,
  })
  const generated = (): unknown => {
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    return JSON.parse(project.read('gen/toolgen.lock.json')).toolsets.accounts.tools.createAccount.about.sensitive
  }
  expect(project.toolgen('import', 'openapi', 'accounts', '--from', 'accounts.json')).toMatchObject({ code: 0 })
  const hidden = { events: 'omit', telemetry: 'omit', recording: 'omit' }
  expect(generated()).toEqual({
    payload: {
      '/linked/*/**/password': hidden,
      '/linked/*/**/pin': hidden,
      '/linked/*/password': hidden,
      '/linked/*/pin': hidden,
      '/password': hidden,
      '/pin': hidden,
    },
    // Responses do not have `pin`.
    result: { '/**/password': hidden, '/password': hidden },
  })
  const module = project.read('design/accounts.openapi.ts')
  const options = "{ tools: { createAccount: { sensitive: { payload: { '/name': ['events'] } } } } }"
  const changed = module.replace('importedToolset(accountsSnapshot)', `importedToolset(accountsSnapshot, ${options})`)
  project.write({ 'design/accounts.openapi.ts': changed })
  expect(generated()).toEqual({ payload: { '/name': { events: 'omit' } } })
  project.remove()
})
