import { expect, it, onTestFinished } from 'vitest'
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

it('the design drops and renames failures of a document, and a failure that a later import no longer has is an error', () => {
  const project = createProject({
    'package.json': smallProject['package.json'] ?? '',
    'tsconfig.json': smallProject['tsconfig.json'] ?? '',
    'toolgen.config.ts': smallProject['toolgen.config.ts'] ?? '',
    'pets.json': documentWith({ 404: json(reason), 409: json(reason), 422: json(reason) }),
  })
  onTestFinished(() => project.remove())
  const imported = (): unknown => project.toolgen('import', 'openapi', 'pets', '--from', 'pets.json')
  const specs = (): string => project.read('gen/toolsets/pets/specs.ts')
  expect(imported()).toMatchObject({ code: 0 })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  expect(specs()).toContain("{ '404': 'not_found', '409': 'conflict', '422': 'unprocessable_content' }")
  project.write({
    'design/pets.openapi.ts': `import { importedToolset } from '@toolgen/dsl'
import { petsSnapshot } from './pets.openapi.snapshot.js'

export const pets = importedToolset(petsSnapshot, {
  tools: {
    listPets: {
      failures: {
        conflict: false,
        pets_missing: { status: 404, hint: 'There are no pets: {{reason}}.' },
      },
    },
  },
})
`,
  })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  expect(specs()).toContain("{ '422': 'unprocessable_content' }")
  expect(specs()).toContain('failures.petsMissing')
  expect(specs()).not.toContain('conflict')
  project.write({ 'pets.json': documentWith({ 404: json(reason), 422: json(reason) }) })
  expect(imported()).toMatchObject({ code: 0 })
  const { code, stdout } = project.toolgen('generate', '--json')
  expect(code).toBe(3)
  expect(JSON.parse(stdout).diagnostics).toMatchObject([
    {
      code: 'TG2025',
      message: 'The import of `listPets` has no failure `conflict`.',
      next: 'Remove the entry. A later import can remove failures.',
      location: { file: 'design/pets.openapi.ts', line: 8, column: 9 },
    },
  ])
})
