import { modelTexts } from '../scene/model-texts.js'
import type { Rule } from '../scene/rule.js'

/** Characters that models read and people do not see. */
export const hiddenCharacters: Rule = {
  id: 'hidden-characters',
  code: 'TG8323',
  next: 'Remove the characters, and look at what the text says without them.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer,\\u{E0061}\\u{E006C}\\u{E006C} newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: (scene) =>
    modelTexts(scene).flatMap(({ about, what, text, isPattern }) => {
      const hidden = hiddenIn(text, isPattern)
      if (hidden.length === 0) return []
      const names = [...new Set(hidden)].slice(0, 5)
      const more = new Set(hidden).size > names.length ? ' and others' : ''
      return [{ about, message: `${what} has characters that people do not see: ${names.join(', ')}${more}.` }]
    }),
}

/** Uses of such characters that are part of what people see. */
const legitimate: readonly RegExp[] = [
  // Flags of England, Scotland and Wales.
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu,
  // Emoji that are put together, and the form of a character as emoji or text.
  /(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D(?=\p{Extended_Pictographic})/gu,
  /(?<=[\p{Emoji}\p{S}])[\uFE0E\uFE0F](?!\p{Variation_Selector})/gu,
  // Forms of ideographs.
  /(?<=\p{Script=Han})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}](?!\p{Variation_Selector})/gu,
  // Joiners in the scripts that need them, such as Persian and Hindi.
  /(?<=(?!\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic})[\p{L}\p{M}])[\u200C\u200D](?=[\p{L}\p{M}\s]|$)/gu,
]

/** Marks of direction, which texts from right to left need. */
const marks = /[\u061C\u200E\u200F]/gu
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

const kinds: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/[\u{E0000}-\u{E007F}]/u, 'tag character'],
  [/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u, 'bidirectional control'],
  [/\p{Variation_Selector}/u, 'variation selector'],
  [/\p{Surrogate}/u, 'half of a surrogate pair'],
  // Tabs and line breaks are seen.
  [/(?![\t\n\r])\p{Cc}/u, 'control character'],
  [/\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/u, 'invisible character'],
]

/** Returns the hidden characters of a text as people read them, e.g. `U+200B (invisible character)`. */
function hiddenIn(text: string, isPattern: boolean): readonly string[] {
  // Almost all texts.
  if (/^[\x20-\x7E\n\r\t]*$/.test(text)) return []
  let rest = legitimate.reduce((left, use) => left.replace(use, ''), text)
  if (rightToLeft.test(rest)) rest = rest.replace(marks, '')
  return [...rest].flatMap((character) => {
    const kind = kinds.find(([pattern]) => pattern.test(character))?.[1]
    // Classes of a regular expression often name control characters.
    if (kind === undefined || (isPattern && kind === 'control character')) return []
    return [`U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')} (${kind})`]
  })
}
