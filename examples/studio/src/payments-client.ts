import { ToolFailure } from '@toolgen/runtime'

/** Payments of the shop, in memory. */
export class PaymentsClient {
  readonly #payments = [
    { id: 'P-1', orderId: 'A-1001', amount: 49.5 },
    { id: 'P-2', orderId: 'A-1002', amount: 94 },
  ]

  async findPayment(orderId: string): Promise<{ readonly id: string; readonly amount: number }> {
    const found = this.#payments.find((each) => each.orderId === orderId)
    if (found === undefined) throw new ToolFailure(`Order ${orderId} has no payment.`)
    return found
  }

  async refund(paymentId: string, amount: number): Promise<{ readonly refunded: number }> {
    const found = this.#payments.find(({ id }) => id === paymentId)
    if (found === undefined) throw new ToolFailure(`There is no payment ${paymentId}.`)
    if (amount > found.amount) throw new ToolFailure(`Payment ${paymentId} has only ${found.amount} €.`)
    found.amount -= amount
    return { refunded: amount }
  }
}
