import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import type { HasApproval } from '@toolgen/runtime'

/** Policies in the language Cedar, by name. `context` contains the arguments of the call. */
export const policies: Readonly<Record<string, string>> = {
  'Small refunds need no person.': `
    permit(principal, action == Action::"call", resource == Tool::"payments.refundPayment")
    when { context.amount <= 50 };`,
  'Payment P-9 is in dispute.': `
    forbid(principal, action == Action::"call", resource)
    when { context has paymentId && context.paymentId == "P-9" };`,
}

/**
 * Returns an approver that asks the policies first. It approves a call that a policy permits, and denies a call that a policy forbids, with
 * the name of the policy as the reason. The approver `otherwise` decides about all other calls.
 */
export function policyApproval(otherwise: HasApproval['approval']): HasApproval['approval'] {
  return {
    async approve(request) {
      const answer = isAuthorized({
        principal: { type: 'Agent', id: request.agent ?? '' },
        action: { type: 'Action', id: 'call' },
        resource: { type: 'Tool', id: request.tool },
        // Cedar has no fractions, so amounts are compared in whole euros, rounded up.
        context: JSON.parse(JSON.stringify(request.arguments), (_, value) =>
          typeof value === 'number' ? Math.ceil(value) : value,
        ),
        policies: { staticPolicies: { ...policies } },
        entities: [],
      })
      if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join(' '))
      const { decision, diagnostics } = answer.response
      // Cedar ignores a policy that fails. Without this check, a failed policy could not forbid a call.
      if (diagnostics.errors.length > 0) throw new Error(diagnostics.errors.map(({ error }) => error.message).join(' '))
      if (decision === 'allow') return { decision: 'approve', by: `policy: ${diagnostics.reason.join(' ')}` }
      if (diagnostics.reason.length > 0) return { decision: 'deny', reason: diagnostics.reason.join(' ') }
      return otherwise.approve(request)
    },
  }
}
