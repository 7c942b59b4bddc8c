interface Invoice {
  readonly number: string
  readonly supplier: string
  readonly lines: readonly (readonly [article: string, price: number])[]
  /** Amount that was paid, in euros. */
  readonly paid: number
}

/** The invoices of October. The folder of the example contains one text file for each of them. */
export const INVOICES: readonly Invoice[] = [
  {
    number: 'INV-301',
    supplier: 'Lumen Ltd',
    lines: [
      ['Desk lamp', 79.8],
      ['Bulbs', 24],
    ],
    paid: 103.8,
  },
  {
    number: 'INV-302',
    supplier: 'Northwood',
    lines: [
      ['Standing desk', 449],
      ['Assembly', 60],
    ],
    paid: 509,
  },
  {
    number: 'INV-303',
    supplier: 'Papyrus',
    lines: [
      ['Paper, 20 boxes', 130],
      ['Delivery', 9.5],
    ],
    paid: 139.5,
  },
  {
    number: 'INV-304',
    supplier: 'Lumen Ltd',
    lines: [
      ['Floor lamp', 219],
      ['Dimmer', 35.5],
    ],
    paid: 200,
  },
  {
    number: 'INV-305',
    supplier: 'Kettle & Co',
    lines: [
      ['Coffee machine', 640],
      ['Filters', 18],
    ],
    paid: 658,
  },
  {
    number: 'INV-306',
    supplier: 'Papyrus',
    lines: [
      ['Envelopes', 42],
      ['Delivery', 9.5],
    ],
    paid: 51.5,
  },
  {
    number: 'INV-307',
    supplier: 'Northwood',
    lines: [
      ['Shelves', 310],
      ['Assembly', 90],
    ],
    paid: 0,
  },
  {
    number: 'INV-308',
    supplier: 'Kettle & Co',
    lines: [
      ['Beans, 12 kg', 228],
      ['Delivery', 12],
    ],
    paid: 240,
  },
]

/** Returns the text of an invoice. */
export function invoiceText({ number, supplier, lines }: Invoice): string {
  const total = lines.reduce((sum, [, price]) => sum + price, 0)
  return [
    `Invoice: ${number}`,
    `Supplier: ${supplier}`,
    'Customer: Example Ltd, 1 Example Street, Example Town',
    'Date: 2026-10-15',
    '',
    ...lines.map(([article, price]) => `- ${article}, ${price.toFixed(2)} EUR`),
    '',
    `Total: ${total.toFixed(2)} EUR`,
    'Payment within 14 days, without deduction. Goods remain our property until they are paid in full.',
    'Please quote the number of the invoice with your payment.',
    '',
  ].join('\n')
}

/** Contacts of the suppliers, as the memory server stores them. */
export const SUPPLIERS: readonly { readonly name: string; readonly contact: string }[] = [
  { name: 'Lumen Ltd', contact: 'Mara Lind, mara@lumen.example' },
  { name: 'Northwood', contact: 'Jon Berg, jon@northwood.example' },
  { name: 'Papyrus', contact: 'Ada Moor, ada@papyrus.example' },
  { name: 'Kettle & Co', contact: 'Sam Roe, sam@kettle.example' },
]
