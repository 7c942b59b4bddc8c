import { expect, it } from 'vitest'
import { faultsOf } from './adversarial/faults.js'
import { hostileSchemas } from './adversarial/schemas.js'
import { largeTexts } from './adversarial/texts.js'
import { largeValues } from './adversarial/values.js'

/** The schemas to which long and deep values are given: some of every kind. */
const enduring: readonly string[] = [
  ...['no keywords', 'a map of anything', 'a list of anything', 'a list of lists', 'a tree', 'a tree of maps'],
  ...['a text of two characters', 'a tuple', 'unique items', 'a tagged union', 'typed values', 'defaults deep inside'],
]

it.each(hostileSchemas.filter(([name]) => enduring.includes(name)))(
  'long and deep values get the same answers with and without generated functions, and nothing hangs: %s',
  (_, source) => {
    expect(faultsOf(source, largeValues, largeTexts, ['strip'])).toEqual([])
  },
)
