import { ToolFailure, type ToolLayer } from '@toolgen/runtime'

/** A capability of this application: the amount of money that the agent may still spend. */
export interface HasBudget {
  readonly budget: {
    /** Subtracts an amount, in euros, from the budget. Returns false, without a change, if the budget is too small. */
    take(amount: number): boolean
  }
}

/**
 * A layer of this application. Its type declares that the layer needs a budget. A call or run of an agent with this layer does not compile without
 * a budget.
 */
export const spendingLimit: ToolLayer<HasBudget> = (next) => async (request) => {
  const decoded = await request.decode()
  // The codec reports invalid arguments: the call continues and fails with all issues.
  if (!decoded.ok || !hasAmount(decoded.value)) return next(request)
  if (request.env.budget.take(decoded.value.amount)) return next(request)
  return request.fail(
    new ToolFailure('The budget for refunds is used up. Offer a voucher instead.', { reason: 'denied' }),
  )
}

function hasAmount(payload: unknown): payload is { readonly amount: number } {
  return typeof payload === 'object' && payload !== null && 'amount' in payload && typeof payload.amount === 'number'
}
