import type { ApprovalRequest, ToolOutcome } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { newCloseAccountCall, newRefundPaymentCall } from '../gen/toolsets/payments/index.js'
import { clerk } from '../src/clerk.js'
import { openDesk } from '../src/desk.js'
import { PaymentsClient } from '../src/payments-client.js'

const told = (outcome: ToolOutcome | undefined): string =>
  outcome?.status === 'failed' ? outcome.hint.reason : (outcome?.status ?? 'none')

describe('the approval example', () => {
  it('approves one tool and denies another, through a run', async () => {
    const client = new PaymentsClient()
    const asked: ApprovalRequest[] = []
    const run = await openDesk(client).run('I want my money back.', { env: clerk(100, (each) => asked.push(each)) })
    expect(run.status).toBe('completed')
    expect(run.usage).toMatchObject({ turns: 4, toolCalls: 4 })
    expect(run.outcomes.map(told)).toEqual(['completed', 'completed', 'completed', 'denied'])
    expect(run.outcomes[2]).toMatchObject({ result: { data: { closed: false } } })
    expect(client.done).toEqual(['refunded P-1'])
    // Both approvals are requested at the same time, in any order.
    expect(asked.map(({ tool, prompt, agent }) => `${agent} ${tool}: ${prompt}`).sort()).toEqual([
      'desk payments.closeAccount: Close the account of C-7 for good?',
      'desk payments.refundPayment: Refund 40 € of payment P-1?',
    ])
    // The budget of the run was used up, so the layer failed the call before an approver was asked.
    expect(run.messages.at(-2)).toMatchObject({ role: 'tool', content: expect.stringContaining('voucher') })
  })

  it('runs a small refund without an approval, as the design says', async () => {
    const client = new PaymentsClient()
    const asked: ApprovalRequest[] = []
    const env = clerk(100, (each) => asked.push(each))
    const outcome = await openDesk(client).execute(newRefundPaymentCall({ paymentId: 'P-1', amount: 25 }), { env })
    expect([told(outcome), asked, client.done]).toEqual(['completed', [], ['refunded P-1']])
  })

  it('fails an invalid call without asking anybody', async () => {
    const client = new PaymentsClient()
    const asked: ApprovalRequest[] = []
    const env = clerk(100, (each) => asked.push(each))
    const outcome = await openDesk(client).execute({ tool: 'payments.closeAccount', arguments: '{}' }, { env })
    expect([told(outcome), asked, client.done]).toEqual(['missing_fields', [], []])
  })

  it('denies where code without types gives no approval', async () => {
    const client = new PaymentsClient()
    const desk = openDesk(client)
    const env = { budget: { take: () => true } } as never
    expect(told(await desk.execute(newRefundPaymentCall({ paymentId: 'P-1', amount: 40 }), { env }))).toBe('denied')
    expect(await desk.execute(newCloseAccountCall({ customerId: 'C-1' }), { env })).toMatchObject({
      status: 'completed',
      result: { data: { closed: false } },
    })
    expect(client.done).toEqual([])
  })
})
