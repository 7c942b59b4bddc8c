export interface Payment {
  id: string
  amount: number
  refunded: boolean
}

/** The payment service, in memory. `done` lists the changes that it made. */
export class PaymentsClient {
  readonly done: string[] = []
  readonly #payments: Payment[] = [
    { id: 'P-1', amount: 40, refunded: false },
    { id: 'P-2', amount: 90, refunded: false },
  ]

  async findPayments(_request: { customerId: string }): Promise<Payment[]> {
    return this.#payments.map((payment) => ({ ...payment }))
  }

  async refundPayment(request: {
    paymentId: string
    amount: number
  }): Promise<{ paymentId: string; refunded: boolean }> {
    this.done.push(`refunded ${request.paymentId}`)
    for (const payment of this.#payments) if (payment.id === request.paymentId) payment.refunded = true
    return { paymentId: request.paymentId, refunded: true }
  }

  async closeAccount(request: { customerId: string }): Promise<{ closed: boolean; note: string }> {
    this.done.push(`closed ${request.customerId}`)
    return { closed: true, note: 'Closed.' }
  }
}
