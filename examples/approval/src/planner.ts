import { renderForModel } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { newCloseAccountCall, newFindPaymentsCall, newRefundPaymentCall } from '../gen/toolsets/payments/index.js'

/** A deterministic planner without a model. Its code chooses each step by the number of the turn. */
export const planner: Planner = ({ turn, outcomes }) => {
  if (turn === 1) return callTools(newFindPaymentsCall({ customerId: 'C-7' }))
  // Two parallel calls: a person approves the first and denies the second.
  if (turn === 2) {
    return callTools(newRefundPaymentCall({ paymentId: 'P-1', amount: 40 }), newCloseAccountCall({ customerId: 'C-7' }))
  }
  if (turn === 3) return callTools(newRefundPaymentCall({ paymentId: 'P-2', amount: 90 }))
  return answer(outcomes.map((outcome) => renderForModel(outcome)).join('\n'))
}
