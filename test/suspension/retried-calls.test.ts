import { expect, it } from 'vitest'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approval,
  type BoundAgent,
  retry,
} from '../../packages/runtime/src/index.js'
import { agents } from '../nested/agents.fixture.js'

/** Agents of which the inner one waits for approval, and whose tool is away so many times. */
function retried(away: number) {
  let tries = 0
  const asked: string[] = []
  const { support } = agents({
    around: (research) => research.layer(approval()) as BoundAgent,
    execute: () => {
      tries += 1
      if (tries <= away) throw Object.assign(new Error('away'), { status: 503, headers: {} })
      return { id: 'A', total: 1 }
    },
  })
  const env = (decision: ApprovalDecision) => ({
    approval: {
      approve: async ({ toolCallId }: ApprovalRequest): Promise<ApprovalDecision> => {
        asked.push(toolCallId)
        return decision
      },
    },
  })
  return { support: support.layer(retry({ delayMs: () => 0 })), env, asked, tries: () => tries }
}

it('a resumed call that is retried starts another run of its agent, which asks again', async () => {
  const { support, env, asked, tries } = retried(1)
  const { suspension } = await support.run('?', { env: env('suspend') })
  if (suspension === undefined) throw new Error('nothing waits')
  const run = await support.resume(suspension, { 'outer-1/inner-A': 'approve' }, { env: env('approve') })
  expect(run.outcomes).toMatchObject([
    { status: 'completed', json: '{"id":"A","total":1}', provenance: { attempts: 2 } },
  ])
  expect([asked, tries()]).toEqual([['inner-A', 'inner-A'], 2])
})

it('a resumed call that is tried again in vain says why', async () => {
  const { support, env } = retried(9)
  const { suspension } = await support.run('?', { env: env('suspend') })
  if (suspension === undefined) throw new Error('nothing waits')
  const run = await support.resume(suspension, { 'outer-1/inner-A': 'approve' }, { env: env('approve') })
  expect(run.outcomes).toMatchObject([{ hint: { reason: 'unavailable' } }])
})
