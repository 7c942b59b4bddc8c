import { isDeepStrictEqual } from 'node:util'

/** A valid value → JSON text. */
export const encode = {
  title: 'encode a value',
  checks: false,
  against: 'json',
  aims: { small: 0.5, medium: 1.0, large: 1.1 },
  inputs: ({ texts }) => texts.map((text) => JSON.parse(text)),
  mistakes: (write, { valid }) =>
    valid.flatMap((value, index) => {
      const text = write(value)
      const same = isDeepStrictEqual(JSON.parse(text), value) && text.length === JSON.stringify(value).length
      return same ? [] : [`valid value ${index} was written otherwise`]
    }),
  // A string that was put together with `+` is a tree until someone reads it; reading one character makes V8 copy it
  // into one piece, which whoever sends the text pays in any case.
  weigh: (text) => text.charCodeAt(text.length >> 1),
}
