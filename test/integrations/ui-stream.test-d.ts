import type { ToolDescriptor } from '@toolgen/runtime'
import type { RunUIData, UIToolsOf } from '@toolgen/runtime/ai-sdk'
import type { UIMessage } from 'ai'
import { describe, expectTypeOf, it } from 'vitest'

interface Book {
  readonly at: Date
  readonly amount?: bigint
  readonly tags: readonly string[]
}

interface Booked {
  readonly id: string
  readonly times: readonly { readonly at: Date }[]
  readonly receipt: Uint8Array
}

declare const book: ToolDescriptor<Book, Book, Booked, 'sessionId'>

type Message = UIMessage<unknown, RunUIData, UIToolsOf<{ shop_book: typeof book }>>
type Part = Message['parts'][number]
type BookPart = Extract<Part, { type: 'tool-shop_book' }>

describe('the types of the parts of messages', () => {
  it('have input and output of the tool as JSON', () => {
    type Done = Extract<BookPart, { state: 'output-available' }>
    expectTypeOf<Done['input']>().toEqualTypeOf<{ at: string; amount?: string; tags: string[] }>()
    expectTypeOf<Done['output']>().toEqualTypeOf<{ id: string; times: { at: string }[]; receipt: string }>()
  })

  it('have the data of updates, pending calls and the end', () => {
    expectTypeOf<Extract<Part, { type: 'data-run' }>['data']['status']>().toEqualTypeOf<RunUIData['run']['status']>()
    expectTypeOf<Extract<Part, { type: 'data-update' }>['data']['index']>().toEqualTypeOf<number>()
    expectTypeOf<Extract<Part, { type: 'data-pending' }>['data']['prompt']>().toEqualTypeOf<string | undefined>()
  })

  it('know no other tools', () => {
    expectTypeOf<Extract<Part, { type: 'tool-other' }>>().toEqualTypeOf<never>()
  })
})
