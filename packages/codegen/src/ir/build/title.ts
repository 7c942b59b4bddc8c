/**
 * A tool's name in words: `getOrder`, `get_order` and `get-order` are all `Get order`; an acronym stays one
 * (`parseURLPath` → `Parse URL path`).
 */
export function titleOf(name: string): string {
  const words = name
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (/^\p{Lu}{2,}\p{N}*$/u.test(word) ? word : word.toLowerCase()))
  const [first = '', ...others] = words
  const [initial = ''] = first
  return first === '' ? name : [initial.toUpperCase() + first.slice(initial.length), ...others].join(' ')
}
