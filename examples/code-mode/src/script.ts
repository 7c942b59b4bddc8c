import { calls, type ScriptedResponse, says } from '@toolgen/runtime/testing'
import { newListDirectoryCall, newReadTextFileCall } from '../gen/toolsets/files/index.js'
import { newOpenNodesCall } from '../gen/toolsets/memory/index.js'
import { newFindPaymentsCall } from '../gen/toolsets/payments/index.js'
import { INVOICES } from './invoices.js'

export const QUESTION = 'Which invoices are not fully paid? How much is open, and whom do I write to?'

/** Answer of the script, in both modes. */
const answer = says(
  'INV-304 of Lumen Ltd: 54.50 EUR are open, write to Mara Lind, mara@lumen.example. INV-307 of Northwood: 400.00 EUR are open, write to Jon Berg, jon@northwood.example.',
)

/** The program that a model can write for the question. */
export const PROGRAM = `const listing = await files.listDirectory({ path: 'invoices' })
const paths = listing.content.split('\\n').map((line) => 'invoices/' + line.replace('[FILE] ', ''))
const texts = await Promise.all(paths.map((path) => files.readTextFile({ path })))
const field = (text: string, name: string): string =>
  text.split('\\n').find((line) => line.startsWith(name + ': '))?.slice(name.length + 2) ?? ''
const invoices = await Promise.all(
  texts.map(async ({ content }) => {
    const invoice = field(content, 'Invoice')
    const found = await payments.findPayments({ invoice })
    const paid = found.reduce((sum, { amount }) => sum + amount, 0)
    return { invoice, supplier: field(content, 'Supplier'), open: parseFloat(field(content, 'Total')) - paid }
  }),
)
const unpaid = invoices.filter(({ open }) => open > 0.005)
const { entities } = await memory.openNodes({ names: unpaid.map(({ supplier }) => supplier) })
return unpaid.map((each) => ({
  ...each,
  about: entities.find(({ name }) => name === each.supplier)?.observations ?? [],
}))`

/** Responses of a model that calls the tools itself. */
export const CALLS: readonly ScriptedResponse[] = [
  calls(newListDirectoryCall({ path: 'invoices' })),
  calls(...INVOICES.map(({ number }) => newReadTextFileCall({ path: `invoices/${number}.txt` }))),
  calls(...INVOICES.map(({ number }) => newFindPaymentsCall({ invoice: number }))),
  calls(newOpenNodesCall({ names: ['Lumen Ltd', 'Northwood'] })),
  answer,
]

/** Responses of a model that writes a program. */
export const CODE: readonly ScriptedResponse[] = [calls({ tool: 'run_program', arguments: { code: PROGRAM } }), answer]
