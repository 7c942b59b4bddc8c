import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  integer,
  list,
  map,
  nil,
  object,
  orNull,
  string,
} from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

let bound: BoundClient

beforeAll(async () => {
  bound = await bindPublished({
    types: "import type { Client } from 'pg'",
    tools: {
      run: {
        method: 'query',
        rename: { sql: 'text' },
        payload: object({ sql: string, 'values?': list(true) }),
        result: object({ rows: list(map(true)), rowCount: orNull(integer) }),
      },
      listen: { method: 'query', payload: object({ text: string }), result: object({ command: string }) },
      connect: { payload: object({}), result: nil },
      end: { payload: object({}), result: nil },
      escapeLiteral: { payload: object({ str: string }), result: string },
    },
  })
})

afterAll(() => removeProject(bound.root))

test('the verdicts', () => {
  expect(bound.verdicts).toEqual({
    // Answers the client itself.
    connect: 'pass / mapper TG4203',
    end: 'pass / convert',
    escapeLiteral: 'pass / pass',
    listen: 'pass / convert',
    run: 'convert / convert',
  })
})

test('TypeScript accepts the generated executor', () => {
  expect(faultsOf(bound.root, '7.0', [executorFile])).toBe('')
})
