import type { ApprovalRequest, HasApproval } from '@toolgen/runtime'
import type { HasBudget } from './spending-limit.js'

/** The env of one run: a clerk who approves refunds and nothing else, and a budget. */
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
