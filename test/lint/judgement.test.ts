import { describe, expect, it } from 'vitest'
import { compileDesign } from '../../packages/codegen/src/ir/build/compile-design.js'
import { loaded } from '../../packages/codegen/src/ir/build/design.fixture.js'
import { lintDesign } from '../../packages/codegen/src/lint/lint-design.js'
import { airline } from '../airline/design/airline.js'
import { lintText } from './example-design.fixture.js'

/** What the rules find of tools, by their names: one description, payload and result, as code. */
function found(tools: Readonly<Record<string, readonly [description: string, payload?: string, result?: string]>>) {
  const text = Object.entries(tools).map(
    ([name, [description, payload = '', result = 'done: z.boolean()']]) =>
      `${name}: defineTool({ description: ${JSON.stringify(description)}, payload: z.object({ ${payload} }), result: z.object({ ${result} }) })`,
  )
  return Object.keys(lintText(text.join(',\n')).counts)
}

describe('lint says nothing of', () => {
  it.each([
    ['opposites', { lampOn: ['Turns the lamp of a room on.'], lampOff: ['Turns the lamp of a room off.'] }],
    [
      'ways there and back',
      {
        litresToGallons: ['Converts an amount from litres to gallons.'],
        gallonsToLitres: ['Converts an amount from gallons to litres.'],
      },
    ],
    [
      'a sentence that all tools of a server have',
      {
        echo: ['Belongs to the simple file system of the training set. Prints a line.'],
        grep: ['Belongs to the simple file system of the training set. Finds words.'],
        wc: ['Belongs to the simple file system of the training set. Counts characters.'],
      },
    ],
    ['choices that are words', { paint: ['Colours a wall.', "colour: z.enum(['red', 'blue'])"] }],
    [
      'an object of which the fields are described',
      { post: ['Sends mail.', "to: z.object({ town: z.string().describe('Where') })"] },
    ],
    [
      'an id of which people know where it stands',
      { look: ['Shows a parcel.', "parcelId: z.string().describe('On the label')"] },
    ],
    ['a verb that is read about', { listCancelReasons: ['Why people call off trips.'] }],
    [
      'an amount beside its currency',
      { bid: ['Offers money.', "amount: z.number().describe('How much'), currency: z.enum(['EUR', 'CHF'])"] },
    ],
    ['short lists of words', { listColours: ['What walls can have.', '', 'colours: z.array(z.string())'] }],
  ] as const)('%s', (_, tools) => {
    expect(found(tools)).toEqual([])
  })
})

it('finds the tool of the airline that was described as another one', () => {
  const design = loaded([airline])
  const { value } = compileDesign(design)
  if (value === undefined) throw new Error('the design has errors')
  const { diagnostics } = lintDesign(value, design, { levels: {}, forms: {}, only: ['overlapping-descriptions'] })
  expect(diagnostics.map(({ message }) => message)).toEqual([
    '`airline_search_direct_flight` and `airline_search_onestop_flight` are described in the same words. (overlapping-descriptions)',
  ])
})
