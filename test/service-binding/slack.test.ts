import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  boolean,
  integer,
  list,
  object,
  orNull,
  string,
} from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

let bound: BoundClient

beforeAll(async () => {
  bound = await bindPublished({
    types: "import type { WebClient as Client } from '@slack/web-api'",
    tools: {
      postMessage: {
        method: 'chat.postMessage',
        payload: object({ channel: string, text: string, 'threadTs?': string }),
        result: object({ ok: boolean, 'ts?': string }),
      },
      channelInfo: {
        method: 'conversations.info',
        payload: object({ channel: string, 'include_num_members?': boolean }),
        result: object({
          ok: boolean,
          'channel?': object({ 'id?': string, 'name?': string, 'is_archived?': boolean }),
        }),
      },
      listUsers: {
        method: 'users.list',
        payload: object({ limit: integer, 'cursor?': string }),
        result: object({ 'members?': list(object({ 'id?': string, 'real_name?': string })) }),
      },
      addReaction: {
        method: 'reactions.add',
        payload: object({ channel: string, name: string, timestamp: string }),
        result: object({ ok: boolean, error: orNull(string) }),
      },
      openView: {
        method: 'views.open',
        payload: object({ trigger: string }),
        result: object({ ok: boolean }),
      },
    },
  })
})

afterAll(() => removeProject(bound.root))

test('the verdicts', () => {
  expect(bound.verdicts).toEqual({
    addReaction: 'pass / convert',
    channelInfo: 'pass / convert',
    listUsers: 'pass / convert',
    // A view and the words trigger_id are missing.
    openView: 'mapper TG4101 / convert',
    postMessage: 'convert / convert',
  })
})

test('TypeScript accepts the generated executor', () => {
  expect(faultsOf(bound.root, '7.0', [executorFile])).toBe('')
})
