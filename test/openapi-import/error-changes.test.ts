import { expect, it } from 'vitest'
import { createProject, smallProject } from '../cli/project.fixture.js'

const json = (schema: object): object => ({ description: 'A response.', content: { 'application/json': { schema } } })
const reason = { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] }
const documentWith = (errors: Readonly<Record<string, object>>): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://pets.example' }],
    paths: {
      '/pets': {
        get: {
          operationId: 'listPets',
          responses: { 200: json({ type: 'array', items: { type: 'string' } }), ...errors },
        },
      },
    },
  })

it('`diff` reports removed and new error statuses, and changed bodies with an example', () => {
  const project = createProject({
    'package.json': smallProject['package.json'] ?? '',
    'tsconfig.json': smallProject['tsconfig.json'] ?? '',
    'toolgen.config.ts': smallProject['toolgen.config.ts'] ?? '',
    'pets.json': documentWith({ 404: json(reason), 409: json(reason) }),
  })
  const imported = (): unknown => project.toolgen('import', 'openapi', 'pets', '--from', 'pets.json')
  expect(imported()).toMatchObject({ code: 0 })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  const { required, ...optional } = reason
  project.write({ 'pets.json': documentWith({ 404: json(optional), 429: json(reason) }) })
  expect(imported()).toMatchObject({ code: 0 })
  const { code, stdout } = project.toolgen('diff', 'gen/toolgen.lock.json', '--json')
  project.remove()
  expect(code).toBe(5)
  const ofTool = { tool: 'pets.listPets' }
  expect(JSON.parse(stdout).changes).toMatchObject([
    {
      ...ofTool,
      rule: 'result-field-optional',
      severity: 'breaking',
      side: 'errors',
      status: '404',
      pointer: '/properties/reason',
      witness: {},
      message: expect.stringMatching(/^The error 404 of 'pets\.listPets' /),
    },
    { ...ofTool, rule: 'error-status-removed', severity: 'breaking', before: '409' },
    { ...ofTool, rule: 'error-status-added', severity: 'visible', after: '429' },
  ])
})
