import { ToolFailure, type ToolLayer } from '@toolgen/runtime'

/** A capability of this application: money that the agent may still give away. */
export interface HasBudget {
  readonly budget: {
    /** Takes an amount, in euros, from what is left; false where there is too little. */
    take(amount: number): boolean
  }
}

/**
 * A layer of this application. Its type says that it needs a budget: whoever calls or runs what it is attached to must
 * give one, and forgetting that does not compile.
 */
export const spendingLimit: ToolLayer<HasBudget> = (next) => async (request) => {
  const decoded = await request.decode()
  // Invalid arguments are the codec's business: the call goes on and fails with every fault told.
  if (!decoded.ok || !hasAmount(decoded.value)) return next(request)
  if (request.env.budget.take(decoded.value.amount)) return next(request)
  return request.fail(
    new ToolFailure('The budget for refunds is used up. Offer a voucher instead.', { reason: 'denied' }),
  )
}

function hasAmount(payload: unknown): payload is { readonly amount: number } {
  return typeof payload === 'object' && payload !== null && 'amount' in payload && typeof payload.amount === 'number'
}
