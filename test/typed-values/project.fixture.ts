/** Files of a project whose payloads and results contain dates, bigints and bytes. */
export const files: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'NodeNext',
      target: 'ES2022',
      lib: ['ES2022'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      outDir: 'dist',
      rootDir: '.',
      types: ['node'],
    },
    include: ['src', 'gen', 'design'],
  }),
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/ledger.ts', output: 'gen' })`,
  'design/clients.ts': `import { serviceClient } from '@toolgen/dsl'
import type { LedgerClient } from '../src/ledger-client.js'
export const ledgerClient = serviceClient<LedgerClient>()`,
  'design/schemas.ts': `import { z } from 'zod'
const part = z.object({ when: z.date(), amount: z.bigint() })
export const booking = z.object({
  at: z.date().min(new Date('2020-01-01T00:00:00Z')).describe('When it was booked.'),
  amount: z.bigint().default(1n),
  receipt: z.instanceof(Uint8Array),
  parts: z.array(part).default([]),
  due: z.date().nullable().optional(),
  on: z.union([z.date(), z.string()]).optional(),
  sentAt: z.date(),
})
export const booked = z.object({
  id: z.string(),
  at: z.date(),
  amount: z.bigint(),
  receipt: z.instanceof(Uint8Array),
  parts: z.array(part),
  due: z.date().nullable(),
})`,
  'design/ledger.ts': `import { defineAgent, defineTool, defineToolset, fromService } from '@toolgen/dsl'
import { z } from 'zod'
import { ledgerClient } from './clients.js'
import { booked, booking } from './schemas.js'
const book = defineTool({
  description: 'Books an amount.',
  payload: booking,
  result: booked,
  serverOwned: { sentAt: 'labels.sentAt' },
  callHint: 'Booking {{amount}} at {{at}}',
  examples: [{ at: new Date('2026-01-31T09:30:00Z'), amount: 5n, receipt: Uint8Array.of(1, 2) }],
})
const note = defineTool({
  description: 'Writes a note.',
  payload: z.object({ at: z.date(), amount: z.bigint() }),
  result: z.object({ text: z.string(), at: z.date(), amount: z.bigint(), receipt: z.instanceof(Uint8Array) }),
})
const plain = defineTool({
  description: 'Knows texts alone.',
  payload: z.object({ at: z.iso.datetime() }),
  result: z.object({ at: z.iso.datetime() }),
})
export const ledger = defineToolset('ledger', { description: 'A ledger.', tools: { book, note, plain } })
export const keeper = defineAgent('keeper', {
  description: 'Keeps the ledger.',
  uses: [fromService(ledger, ledgerClient)],
})`,
  'src/ledger-client.ts': `import assert from 'node:assert/strict'
export interface Booking {
  at: Date
  amount: bigint
  receipt: Uint8Array
  parts: readonly { when: Date; amount: bigint }[]
  due?: Date | null
  on?: Date | string
  sentAt: Date
}
export interface Booked extends Omit<Booking, 'due' | 'on' | 'sentAt'> {
  id: string
  due: Date | null
  secret: bigint
}
export class LedgerClient {
  readonly bookings: Booking[] = []
  async book(booking: Booking): Promise<Booked> {
    assert(booking.at instanceof Date && booking.sentAt instanceof Date && booking.receipt instanceof Uint8Array)
    assert.equal(typeof booking.amount, 'bigint')
    this.bookings.push(booking)
    const { at, amount, receipt, parts } = booking
    return { id: 'b1', at, amount: amount * 2n, receipt: Buffer.from(receipt), parts: [...parts], due: null, secret: 1n }
  }
  async note(note: { at: string; amount: string }) {
    const text = \`\${note.at} \${note.amount}\`
    return { text, at: new Date(note.at), amount: BigInt(note.amount), receipt: new Uint8Array(1) }
  }
  async plain({ at }: { at: Date }) {
    return { at }
  }
}`,
  'src/main.ts': `import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { renderForModel, Runtime } from '@toolgen/runtime'
import { booking } from '../design/schemas.js'
import { registerKeeper } from '../gen/agents/keeper/index.js'
import { ledger, newBookCall, newNoteCall, newPlainCall } from '../gen/toolsets/ledger/index.js'
import { LedgerClient } from './ledger-client.js'

const noon = '2026-01-31T12:00:00.000Z'
const client = new LedgerClient()
const agent = registerKeeper(new Runtime(), { toolsets: { ledger: { client, checks: { book: booking } } } })
const labels = { sentAt: '2026-02-01T00:00:00Z' }

const call = newBookCall(
  { at: new Date(noon), receipt: Uint8Array.of(0, 255), parts: [{ when: new Date(0), amount: -3n }], due: null, on: new Date(0) },
  { toolCallId: 'c1' },
)
assert.equal(
  call.arguments,
  '{"at":"2026-01-31T12:00:00.000Z","receipt":"AP8=","parts":[{"when":"1970-01-01T00:00:00.000Z","amount":"-3"}],' +
    '"due":null,"on":"1970-01-01T00:00:00.000Z"}',
)
const outcome = await agent.execute(call, { labels })
assert(outcome.status === 'completed', inspect(outcome))
const { data } = outcome.result
const at: Date = data.at
const amount: bigint = data.amount
const receipt: Uint8Array = data.receipt
assert.deepEqual([at, amount, [...receipt]], [new Date(noon), 2n, [0, 255]])
assert.deepEqual(data.parts, [{ when: new Date(0), amount: -3n }])
assert.equal(
  renderForModel(outcome),
  '{"id":"b1","at":"2026-01-31T12:00:00.000Z","amount":"2","receipt":"AP8=",' +
    '"parts":[{"when":"1970-01-01T00:00:00.000Z","amount":"-3"}],"due":null}',
)
const [seen] = client.bookings
assert.deepEqual([seen?.sentAt, seen?.amount, seen?.on, seen?.due], [new Date(labels.sentAt), 1n, new Date(0), null])

const sent = (args: unknown) => ({ tool: 'ledger.book', arguments: JSON.stringify(args), toolCallId: 'c2' }) as const
const model = await agent.execute(sent({ at: '2026-01-31T13:00:00+01:00', receipt: 'AP8=', on: 'soon' }), { labels })
assert(model.status === 'completed')
assert.deepEqual([client.bookings[1]?.at, client.bookings[1]?.on], [new Date(noon), 'soon'])

const wrong = await agent.execute(sent({ at: '2016-12-31T23:59:60Z', amount: '1.5', receipt: 'AP8' }), { labels })
assert(wrong.status === 'failed')
const said = renderForModel(wrong)
assert.match(said, /at must be a valid date-time/)
assert.match(said, /amount must be a valid decimal integer/)
assert.match(said, /receipt must be a valid base64/)
assert.doesNotMatch(said, /Date\\b|bigint|Uint8Array/)

const early = await agent.execute(sent({ at: '2019-12-31T00:00:00Z', receipt: '' }), { labels })
assert(early.status === 'failed' && early.hint.reason === 'invalid_arguments', inspect(early))
const unsent = await agent.execute(sent({ at: noon, receipt: '' }), { labels: { sentAt: 'yesterday' } })
assert(unsent.status === 'failed' && unsent.hint.reason === 'internal')

const note = await agent.execute(newNoteCall({ at: new Date(noon), amount: 7n }, { toolCallId: 'c3' }), { labels })
assert(note.status === 'completed', inspect(note))
assert.equal(note.json, '{"text":"2026-01-31T12:00:00.000Z 7","at":"2026-01-31T12:00:00.000Z","amount":"7","receipt":"AA=="}')
const plain = await agent.execute(newPlainCall({ at: noon }, { toolCallId: 'c4' }), { labels })
assert(plain.status === 'completed')
const text: string = plain.result.data.at
assert.equal(text, noon)

for (const example of ledger.book.spec.examples) assert(ledger.book.payload.decodeValue(example).ok)
assert.deepEqual(ledger.book.spec.examples, [{ at: '2026-01-31T09:30:00.000Z', amount: '5', receipt: 'AQI=' }])
assert.match(JSON.stringify(ledger.book.spec.arguments), /"x-js":"Date"/)
console.log('ok')`,
}
