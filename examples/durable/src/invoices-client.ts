import { appendFile, readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

/** Time that the bank takes, in milliseconds. */
const BANK_MS = 400

/** Client of a bank and a mail service, which record their effects in a file that all processes share. */
export class InvoicesClient {
  readonly #ledger: string
  readonly #report: (text: string) => void

  /**
   * @param ledger path of the file
   * @param report receives a text at the start of each payment
   */
  constructor(ledger: string, report: (text: string) => void) {
    this.#ledger = ledger
    this.#report = report
  }

  async listInvoices(_request: { supplier: string }): Promise<{ invoices: { id: string; amount: number }[] }> {
    const amounts = { 'I-1': 120, 'I-2': 75, 'I-3': 300 }
    return { invoices: Object.entries(amounts).map(([id, amount]) => ({ id, amount })) }
  }

  async payInvoice(request: { invoiceId: string; idempotencyKey: string }): Promise<{ id: string; paid: boolean }> {
    const { invoiceId: id, idempotencyKey } = request
    this.#report(`pays ${id}`)
    const entry = `paid ${id} with the key ${idempotencyKey}`
    if (!(await this.#entries()).includes(entry)) await appendFile(this.#ledger, `${entry}\n`)
    await setTimeout(BANK_MS)
    return { id, paid: true }
  }

  async sendReceipt({ invoiceId: id }: { invoiceId: string }): Promise<{ id: string; sent: boolean }> {
    await appendFile(this.#ledger, `sent the receipt of ${id}\n`)
    return { id, sent: true }
  }

  async closeYear({ year }: { year: number }): Promise<{ year: number; closed: boolean }> {
    await appendFile(this.#ledger, `closed ${year}\n`)
    return { year, closed: true }
  }

  async #entries(): Promise<readonly string[]> {
    const text = await readFile(this.#ledger, 'utf8').catch(() => '')
    return text.split('\n')
  }
}
