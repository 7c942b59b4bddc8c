import type { ApprovalRequest, HasApproval } from '@toolgen/runtime'
import type { HasBudget } from './spending-limit.js'

/** Creates the env of one run: an approver that approves only refunds, and a budget. */
export function clerk(euros: number, ask: (request: ApprovalRequest) => void): HasApproval & HasBudget {
  let left = euros
  return {
    approval: {
      async approve(request) {
        ask(request)
        return request.tool === 'payments.refundPayment' ? 'approve' : 'deny'
      },
    },
    budget: {
      take(amount) {
        if (amount > left) return false
        left -= amount
        return true
      },
    },
  }
}
