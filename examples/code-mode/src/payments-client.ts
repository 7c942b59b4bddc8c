import { INVOICES } from './invoices.js'

interface Payment {
  readonly amount: number
  readonly paidOn: string
}

/** Payments of the company, kept in memory. */
export class PaymentsClient {
  async findPayments({ invoice }: { readonly invoice: string }): Promise<Payment[]> {
    const found = INVOICES.find(({ number }) => number === invoice)
    return found === undefined || found.paid === 0 ? [] : [{ amount: found.paid, paidOn: '2026-10-30' }]
  }
}
