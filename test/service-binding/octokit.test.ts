import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  boolean,
  dateTime,
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
  const repository = { owner: string, repo: string }
  const issue = object({ number: integer, title: string, state: string, created_at: dateTime })
  bound = await bindPublished({
    types: "import type { Octokit as Client } from '@octokit/rest'",
    tools: {
      getRepository: {
        method: 'rest.repos.get',
        payload: object(repository),
        result: object({ id: integer, fullName: string, private: boolean, license: orNull(object({ name: string })) }),
        answer: 'data',
      },
      listIssues: {
        method: 'rest.issues.listForRepo',
        payload: object({ ...repository, 'state?': oneOf('open', 'closed', 'all'), 'per_page?': integer }),
        result: list(issue),
        answer: 'data',
      },
      createIssue: {
        method: 'rest.issues.create',
        payload: object({ ...repository, title: string, 'body?': string, 'labels?': list(string) }),
        result: issue,
        answer: 'data',
      },
      whoAmI: { method: 'rest.users.getAuthenticated', payload: object({}), result: object({ login: string }) },
      mergePull: {
        method: 'rest.pulls.merge',
        payload: object({ ...repository, pullNumber: integer, 'mergeMethod?': oneOf('merge', 'squash', 'rebase') }),
        result: object({ sha: string, merged: boolean }),
        answer: 'data',
      },
    },
  })
})

afterAll(() => removeProject(bound.root))

test('the verdicts', () => {
  expect(bound.verdicts).toEqual({
    createIssue: 'convert / convert',
    getRepository: 'convert / convert',
    listIssues: 'convert / convert',
    mergePull: 'convert / convert',
    // The answer is wrapped; the diagnostic says to write result: { from: 'data' }.
    whoAmI: 'pass / mapper TG4200',
  })
})

test('TypeScript accepts the generated executor', () => {
  expect(faultsOf(bound.root, '7.0', [executorFile])).toBe('')
})
