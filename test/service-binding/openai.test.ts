import { afterAll, beforeAll, expect, test } from 'vitest'
import { list, nil, object, oneOf, string } from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

const message = object({ role: oneOf('user'), content: string })
const payload = object({ model: string, messages: list(message) })
const delta = object({ 'content?': { anyOf: [string, nil] } })
const chunk = object({ id: string, choices: list(object({ delta })) })

let bound: BoundClient

beforeAll(async () => {
  bound = await bindPublished({
    types: `import type OpenAI from 'openai'\ntype Client = OpenAI`,
    tools: {
      ask: { method: 'chat.completions.create', payload, result: object({ id: string }) },
      stream: { method: 'chat.completions.create', payload, updates: chunk, result: list(chunk) },
      models: { method: 'models.list', payload: object({}), result: object({ data: list(object({ id: string })) }) },
      eachModel: {
        method: 'models.list',
        payload: object({}),
        updates: object({ id: string }),
        result: list(object({ id: string })),
      },
    },
  })
})

afterAll(() => removeProject(bound.root))

test('a streaming tool takes the signature that streams, a page is a value or a stream', () => {
  expect(bound.verdicts).toEqual({
    ask: 'convert / convert',
    stream: 'convert / convert / convert',
    models: 'pass / convert',
    eachModel: 'pass / convert / convert',
  })
  expect(bound.executor).toContain('stream: true')
})

test('TypeScript accepts the generated executor', () => {
  expect(faultsOf(bound.root, '7.0', [executorFile])).toBe('')
})
