import { afterAll, beforeAll, expect, test } from 'vitest'
import { dateTime, object, string } from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

let bound: BoundClient

beforeAll(async () => {
  const order = object({ id: string, at: dateTime })
  bound = await bindPublished({
    types: `import type { Provenanced } from '../../../packages/runtime/dist/index.js'
interface Order { id: string; at: Date }
interface Client {
  always(): Promise<Provenanced<Order>>
  sometimes(): Promise<Order | Provenanced<Order>>
  atOnce(): Provenanced<Order>
  overloaded(): Promise<Provenanced<Order>>
  overloaded(id: string): Promise<string>
  wrongly(): Promise<Provenanced<{ name: string }>>
}`,
    tools: {
      always: { payload: object({}), result: order },
      sometimes: { payload: object({}), result: order },
      atOnce: { payload: object({}), result: order },
      overloaded: { payload: object({}), result: order },
      wrongly: { payload: object({}), result: order },
    },
  })
})

afterAll(() => removeProject(bound.root))

test('what a method says of its provenance is no part of the answer', () => {
  expect(bound.verdicts).toEqual({
    always: 'pass / convert',
    sometimes: 'pass / convert',
    atOnce: 'pass / convert',
    overloaded: 'pass / convert',
    wrongly: 'pass / mapper TG4200',
  })
})

test.each(['5.9', '7.0'] as const)('TypeScript %s accepts the generated executor', (version) => {
  expect(faultsOf(bound.root, version, [executorFile])).toBe('')
})
