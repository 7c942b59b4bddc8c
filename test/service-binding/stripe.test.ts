import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  boolean,
  integer,
  list,
  object,
  oneOf,
  orNull,
  string,
} from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

let bound: BoundClient

beforeAll(async () => {
  const customer = object({ id: string, email: orNull(string), created: integer })
  bound = await bindPublished({
    types: "import type Client from 'stripe'",
    tools: {
      createCustomer: {
        method: 'customers.create',
        payload: object({ 'email?': string, 'name?': string }),
        result: customer,
      },
      retrieveCustomer: {
        method: 'customers.retrieve',
        payload: object({ id: string }),
        result: customer,
        answer: 'checked',
      },
      listCustomers: {
        method: 'customers.list',
        payload: object({ 'email?': string, 'limit?': integer }),
        result: object({ data: list(customer), has_more: boolean }),
      },
      createPayment: {
        method: 'paymentIntents.create',
        payload: object({ amount: integer, currency: string, 'captureMethod?': oneOf('automatic', 'manual') }),
        result: object({ id: string, amount: integer, clientSecret: orNull(string) }),
      },
      cancelSubscription: {
        method: 'subscriptions.cancel',
        payload: object({ subscription_id: string }),
        result: object({ id: string }),
      },
    },
  })
})

afterAll(() => removeProject(bound.root))

test('the verdicts', () => {
  expect(bound.verdicts).toEqual({
    // The parameter is called id.
    cancelSubscription: 'mapper TG4101 / convert',
    createCustomer: 'pass / convert',
    createPayment: 'convert / convert',
    listCustomers: 'pass / convert',
    // A customer or a deleted one.
    retrieveCustomer: 'pass / checked',
  })
})

test('TypeScript accepts the generated executor', () => {
  expect(faultsOf(bound.root, '7.0', [executorFile])).toBe('')
})
