import type { ApprovalRequest } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { newCloseAccountCall, newRefundPaymentCall } from '../gen/toolsets/payments/index.js'
import { clerk } from '../src/clerk.js'
import { openDesk } from '../src/desk.js'
import { PaymentsClient } from '../src/payments-client.js'
import { policyApproval } from '../src/policy.js'

function desk() {
  const client = new PaymentsClient()
  const asked: string[] = []
  const env = clerk(1_000, ({ prompt = '' }: ApprovalRequest) => asked.push(prompt))
  const withPolicies = { ...env, approval: policyApproval(env.approval) }
  return { client, asked, desk: openDesk(client), env: withPolicies }
}

describe('approvals by Cedar policies', () => {
  it('permit a call, and name the policy in its provenance', async () => {
    const { client, asked, desk: agent, env } = desk()
    const outcome = await agent.execute(newRefundPaymentCall({ paymentId: 'P-1', amount: 40 }), { env })
    expect(outcome).toMatchObject({
      status: 'completed',
      provenance: { approval: { by: 'policy: Small refunds need no person.' } },
    })
    expect([asked, client.done]).toEqual([[], ['refunded P-1']])
  })

  it('forbid a call that another policy permits, and the model reads why', async () => {
    const { client, asked, desk: agent, env } = desk()
    const outcome = await agent.execute(newRefundPaymentCall({ paymentId: 'P-9', amount: 40 }), { env })
    expect(outcome).toMatchObject({ hint: { reason: 'denied', message: 'Payment P-9 is in dispute.' } })
    expect([asked, client.done]).toEqual([[], []])
  })

  it('leave other calls to the clerk', async () => {
    const { client, asked, desk: agent, env } = desk()
    await agent.execute(newRefundPaymentCall({ paymentId: 'P-2', amount: 50.5 }), { env })
    await agent.execute(newCloseAccountCall({ customerId: 'C-7' }), { env })
    expect(asked).toEqual(['Refund 50.5 € of payment P-2?', 'Close the account of C-7 for good?'])
    expect(client.done).toEqual(['refunded P-2'])
  })
})
