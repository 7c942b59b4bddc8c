import { renderForModel } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { newCloseAccountCall, newFindPaymentsCall, newRefundPaymentCall } from '../gen/toolsets/payments/index.js'

/** A deterministic planner: no model, only code that decides the next step from how far the run has come. */
export const planner: Planner = ({ turn, outcomes }) => {
  if (turn === 1) return callTools(newFindPaymentsCall({ customerId: 'C-7' }))
  // Two calls at once: a person approves one of them and denies the other.
  if (turn === 2) {
    return callTools(newRefundPaymentCall({ paymentId: 'P-1', amount: 40 }), newCloseAccountCall({ customerId: 'C-7' }))
  }
  if (turn === 3) return callTools(newRefundPaymentCall({ paymentId: 'P-2', amount: 90 }))
  return answer(outcomes.map((outcome) => renderForModel(outcome)).join('\n'))
}
