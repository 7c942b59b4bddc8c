import { approval as approvalLayer, type HasApproval, Runtime, recommended, runConfig, timeout } from '@toolgen/runtime'
import { registerDesk } from '../gen/agents/desk/index.js'
import { newFindPaymentsCall, payments } from '../gen/toolsets/payments/index.js'
import { openDesk } from '../src/desk.js'
import { PaymentsClient } from '../src/payments-client.js'
import type { HasBudget } from '../src/spending-limit.js'

declare const approval: HasApproval['approval']
declare const budget: HasBudget['budget']

const desk = openDesk(new PaymentsClient())
void desk.run('?', { env: { approval, budget } })
void desk.execute(newFindPaymentsCall({ customerId: 'C-7' }), { env: { approval, budget } })
// @ts-expect-error the layers need an env
void desk.run('?')
// @ts-expect-error the budget is missing
void desk.run('?', { env: { approval } })
// @ts-expect-error the approval is missing
void desk.execute(newFindPaymentsCall({ customerId: 'C-7' }), { env: { budget } })

// A design that asks for confirmation needs an approver, even without layers of the application.
const plain = registerDesk(new Runtime(), { toolsets: { payments: { client: new PaymentsClient() } } })
void plain.layer(recommended()).run('?', { env: { approval }, config: runConfig().layer(timeout(1_000)) })
// @ts-expect-error the approval is missing
void plain.run('?')

// With a descriptor, the condition of an approval receives typed arguments.
void plain.layer(approvalLayer(payments.refundPayment, { when: ({ arguments: { amount } }) => amount > 100 }))
// @ts-expect-error the tool has no such argument
void plain.layer(approvalLayer(payments.refundPayment, { when: ({ arguments: { sum } }) => sum > 100 }))
