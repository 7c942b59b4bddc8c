import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

const none = { type: 'string', enum: [] }
const schema = { type: 'object', properties: { kind: none, name: { type: 'string' } } }
const operation = { summary: 'It.', responses: { 204: { description: 'Done.' } } }
const document = {
  openapi: '3.1.0',
  info: { title: 'None', version: '1' },
  servers: [{ url: 'https://none.example' }],
  paths: {
    '/find': { get: { ...operation, operationId: 'find', parameters: [{ name: 'q', in: 'query', schema: none }] } },
    '/send': {
      post: { ...operation, operationId: 'send', requestBody: { content: { 'application/json': { schema } } } },
    },
    '/must': {
      get: {
        ...operation,
        operationId: 'must',
        parameters: [{ name: 'q', in: 'query', required: true, schema: none }],
      },
    },
  },
}

let project: Project
beforeAll(() => {
  project = createProject({
    ...smallProject,
    'api.json': JSON.stringify(document),
    'design/caller.ts': `import { defineAgent, defineTool, defineToolset, fromOpenApi } from '@toolgen/dsl'
import { none } from './none.openapi.js'
export const own = defineToolset('own', {
  description: 'Own.',
  tools: { look: defineTool({ description: 'Looks.', payload: ${JSON.stringify(schema)}, result: true, examples: [{ name: 'a' }] }) },
})
export const caller = defineAgent('caller', { description: 'Calls.', uses: [fromOpenApi(none)] })
`,
  })
})
afterAll(() => project.remove())

it('a parameter with an empty enum is left out of an import, with a finding', () => {
  const { code, stderr } = project.toolgen('import', 'openapi', 'none', '--from', 'api.json')
  expect(stderr).toContain('The parameter `q` of `GET /find` is not imported: its schema accepts no value.')
  expect(stderr).toContain('must')
  expect(code).toBe(0)
  const snapshot = project.read('design/none.openapi.json')
  expect(snapshot).not.toContain('"field": "q"')
  expect(snapshot).toContain('"path": "/send"')
})

it('a field that may be one of no values is one that no value fits, for every command', () => {
  for (const command of ['generate', 'lint', 'tokens']) {
    const { code, stderr } = project.toolgen(command)
    expect([command, code, stderr]).toEqual([command, expect.toSatisfy((exit) => [0, 6].includes(exit)), stderr])
    expect(stderr).not.toContain('TG9')
  }
  const script = `import { anthropicTool, geminiTool, openAiTool } from '@toolgen/runtime/projections'
import { sendSpec } from './out/gen/toolsets/none/index.js'
for (const form of [openAiTool, anthropicTool, geminiTool]) form(sendSpec)
console.log('offered')
`
  const compiled = project.tsc('-p', '.', '--noEmit', 'false', '--outDir', 'out')
  expect(compiled).toMatchObject({ code: 0, stdout: '' })
  project.write({ 'offer.mjs': script })
  expect(project.node(['offer.mjs'])).toMatchObject({ code: 0, stdout: 'offered\n' })
})

it('a lock that has such a field ends no comparison', () => {
  const lock = project.read('gen/toolgen.lock.json')
  const before = lock.replace(/"kind": ?false/g, '"kind":{"enum":[]}')
  expect(before).not.toBe(lock)
  const call = { type: 'tool', asked: 1, tool: 'own.look', hash: 'x', arguments: '{"name":"a"}' }
  project.write({
    'before/toolgen.lock.json': before,
    'calls.jsonl': `{"cassette":1}\n${JSON.stringify({ ...call, outcome: { status: 'completed' } })}\n`,
  })
  const { code, stdout, stderr } = project.toolgen('diff', 'before', '--cassettes', 'calls.jsonl', '--json')
  expect([code, stderr]).toEqual([0, ''])
  const { counts, recorded } = JSON.parse(stdout)
  expect(counts).toEqual({ breaking: 0, possiblyBreaking: 0, visible: 0, safe: 0 })
  expect(recorded).toMatchObject({ examples: 1 })
})
