// This module is also type-checked with version 7 of the AI SDK (`ai-sdk-7.json`).
import type { BoundAgent, HasApproval, ToolDescriptor } from '@toolgen/runtime'
import { type AiSdkOutput, type AiSdkTools, aiSdkExecutor, aiSdkTools, keepMalformed } from '@toolgen/runtime/ai-sdk'
import type { WithTools } from '@toolgen/runtime/codegen/v1'
import { generateText, type InferUITools, type LanguageModel, type ToolSet, type UIMessage } from 'ai'
import type { ResearchTools } from '../goldens/agents/gen/agents/research/index.js'
import type { registerSupport, SupportTools } from '../goldens/agents/gen/agents/support/index.js'
import { investigation } from '../goldens/agents/gen/toolsets/investigation/index.js'
import type { registerSupport as registerTrusted } from '../trust/failures/gen/agents/support/index.js'

declare const plain: BoundAgent
declare const asking: BoundAgent<HasApproval>
declare const model: LanguageModel

export const tools: ToolSet = {
  ...aiSdkTools(plain, { context: ({ messages }) => ({ sessionId: String(messages.length) }) }),
  ...aiSdkTools(asking, { approvals: 'framework' }),
}
await generateText({ model, tools, prompt: 'Help.', experimental_repairToolCall: keepMalformed(tools) })
aiSdkExecutor(tools, { messages: [{ role: 'user', content: 'Help.' }] })

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <_ extends true>(): void => {}

// Inputs and outputs are the JSON forms of arguments and results.
type BookTools = {
  readonly shop_book: ToolDescriptor<
    { readonly at: Date; readonly amount?: bigint },
    unknown,
    { readonly id: string; readonly at: Date },
    never
  >
  readonly shop_cancel: ToolDescriptor<{ readonly id: string }, unknown, { readonly cancelled: boolean }, 'sessionId'>
}
declare const shop: BoundAgent & WithTools<BookTools>
declare const book: BookTools['shop_book']
const booking = aiSdkTools(shop)
type Booking = InferUITools<typeof booking>
same<Equal<keyof Booking, 'shop_book' | 'shop_cancel'>>()
same<Equal<Booking['shop_book']['input'], { at: string; amount?: string }>>()
same<Equal<Booking['shop_book']['output'], AiSdkOutput<{ id: string; at: string }>>>()
same<Equal<typeof booking, AiSdkTools<BookTools>>>()

type Part = UIMessage<unknown, never, Booking>['parts'][number]
type Done = Extract<Part, { type: 'tool-shop_cancel'; state: 'output-available' }>
declare const output: Done['output']
if (output.status === 'completed' && output.text === undefined) same<Equal<typeof output.result.cancelled, boolean>>()
// @ts-expect-error the result can be shortened
if (output.status === 'completed') output.result.cancelled

// The results of the SDK have the same types.
const { toolResults } = await generateText({ model, tools: booking, prompt: 'Help.' })
for (const result of toolResults) {
  if (result.dynamic || result.toolName !== 'shop_book' || result.output.status !== 'completed') continue
  if (result.output.text === undefined) same<Equal<typeof result.output.result, { id: string; at: string }>>()
}

// Declared failures narrow their data.
const trusted = aiSdkTools({} as ReturnType<typeof registerTrusted<unknown, unknown>>)
declare const cancelled: InferUITools<typeof trusted>['orders_cancelOrder']['output']
if (cancelled.status === 'failed' && cancelled.reason === 'order_shipped')
  same<Equal<typeof cancelled.data, { orderId: string; carrier?: string | undefined }>>()
if (cancelled.status === 'failed' && cancelled.reason === 'order_locked')
  same<Equal<typeof cancelled.data, undefined>>()
// @ts-expect-error the tool does not declare the failure
if (cancelled.status === 'failed' && cancelled.reason === 'address_unknown') cancelled.text
if (cancelled.status === 'failed' && cancelled.reason === 'timeout') same<Equal<typeof cancelled.data, undefined>>()
declare const anyOutput: AiSdkOutput
if (anyOutput.status === 'failed') same<Equal<typeof anyOutput.reason, string>>()

// `only` selects tools.
const one = aiSdkTools(shop, { only: [book] })
same<Equal<keyof typeof one, 'shop_book'>>()

// Generated agents have the types of their tools.
declare const support: ReturnType<typeof registerSupport<unknown, unknown, unknown>>
const supporting = aiSdkTools(support, { approvals: 'framework', context: { labels: { tenant: 'acme' } } })
same<Equal<keyof typeof supporting, keyof SupportTools>>()
const found = aiSdkTools(support, {
  approvals: 'framework',
  only: [investigation.investigate],
  context: { labels: { tenant: 'acme' } },
})
same<Equal<keyof typeof found, 'find_out'>>()

// A toolset whose names have one prefix, and a toolset under another name.
same<Equal<keyof ResearchTools, `archive_${'findNotes' | 'watchNotes'}` | `desk_${'openTicket' | 'ticketState'}`>>()
